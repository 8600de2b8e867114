import type { Workflow } from '#prisma/client.ts';
import type { NodeDeps } from '#src/automation/node-api/node-deps.ts';
import type { RunQueue } from '#src/automation/runs/run-queue.service.ts';
import type { Actor, Deps } from '#src/infra/deps.ts';
import { NotFoundError } from '#src/infra/errors.ts';
import { parseInput } from '#src/infra/inputs.ts';
import { type BlobDiff, diffBlobs } from './revision-diff.rules.ts';
import { boundDiff, summarise } from './revision-summary.rules.ts';
import { blobKey, loadBlobs, type RevisionKey } from './revisions.reads.ts';
import { restoreRevisionInput } from './workflows.inputs.ts';
import { updateWorkflow } from './workflows.service.ts';

export interface WorkflowDiff extends BlobDiff {
  from: number;
  to: number;
  /** Something was cut or left out because the difference exceeds the limits. */
  truncated: boolean;
  /** Lines for people; empty when nothing differs. */
  summary: string[];
}

/** The changes between two revisions of a workflow; null when either does not exist. */
export async function diffRevisions(
  { database }: Deps,
  { tenantId, workflowId }: RevisionKey,
  from: number,
  to: number,
): Promise<WorkflowDiff | null> {
  const [one, other] = [blobKey(workflowId, from), blobKey(workflowId, to)];
  const blobs = await loadBlobs(database, tenantId, [one, other]);
  if (!blobs.has(one) || !blobs.has(other)) return null;
  const diff = diffBlobs(blobs.get(one), blobs.get(other));
  return { from, to, ...boundDiff(diff), summary: summarise(diff) };
}

/**
 * Makes a revision's blob the current one, as a new revision that is built. Throws NotFoundError for an unknown revision, and
 * ValidationError when something that it uses no longer exists.
 */
export async function restoreRevision(
  deps: NodeDeps & RunQueue,
  actor: Actor,
  id: bigint,
  given: unknown,
): Promise<Workflow> {
  const { revision, note } = parseInput(restoreRevisionInput, given);
  const { tenantId } = actor;
  const key = blobKey(id, revision);
  const blobs = await loadBlobs(deps.database, tenantId, [key]);
  if (!blobs.has(key)) throw new NotFoundError();
  return updateWorkflow(deps, actor, id, { blob: blobs.get(key), note }, { restoredFrom: revision });
}
