import type { WorkflowBundleContent } from '#src/automation/blob/bundle.rules.ts';
import type { NodeDeps } from '#src/automation/node-api/node-deps.ts';
import { insertRuns } from '#src/automation/runs/run-creation.service.ts';
import type { RunQueue } from '#src/automation/runs/run-queue.service.ts';
import { requireBundle } from '#src/automation/runs/runnable.rules.ts';
import type { RunAnswer } from '#src/automation/runs/runs.service.ts';
import { bundleBlob, previewBlob } from '#src/automation/workflows/bundles.service.ts';
import type { Actor } from '#src/infra/deps.ts';
import { ConflictError, NotFoundError, ValidationError } from '#src/infra/errors.ts';
import { parseInput } from '#src/infra/inputs.ts';
import { readPins } from './pins.rules.ts';
import { testRunInput } from './test-runs.inputs.ts';
import { findTestTrigger, insertPins, readBundle, storeTestBundle } from './test-runs.store.ts';

/**
 * Starts a run that tests the draft or the published revision, whether or not the workflow and its triggers are active. It waits for no
 * place under the workflow's limit, and takes none. Throws a ValidationError for a draft that is not valid, and a ConflictError where
 * there is none.
 */
export async function startTestRun(
  deps: NodeDeps & RunQueue,
  actor: Actor,
  workflowId: bigint,
  given: unknown,
): Promise<RunAnswer> {
  const input = parseInput(testRunInput, given);
  if (input.idempotencyKey != null) throw new ValidationError({ idempotencyKey: ['A test run takes none.'] });
  const { tenantId } = actor;
  const key = { tenantId, workflowId: Number(workflowId) };
  const tested = input.draft === true ? await readDraft(deps, key) : await readPublished(deps, key);
  const pins = readPins(input.pins ?? tested.pins, tested.content.blob);
  return deps.database.withTenantSql(tenantId, async (tx) => {
    const trigger = await findTestTrigger(tx, key, input.triggerHandle ?? null);
    if (!trigger && input.triggerHandle != null)
      throw new ValidationError({ triggerHandle: ['The workflow has no trigger with this handle.'] });
    const { revision, content } = tested;
    const bundleId = tested.bundleId ?? (await storeTestBundle(tx, key, revision, content));
    const [made] = await insertRuns(tx, deps, [
      {
        actor,
        workflowId: key.workflowId,
        bundleId,
        revision,
        triggerId: trigger?.id ?? null,
        triggerHandle: trigger?.handle ?? null,
        triggerType: trigger?.type ?? 'manual',
        payload: input.payload ?? null,
        concurrency: null,
        isTest: true,
      },
    ]);
    const runId = made?.runId as number;
    if (pins.length > 0) await insertPins(tx, tenantId, runId, pins);
    return { runId, workflowId: key.workflowId, status: 'queued' };
  });
}

interface WorkflowKey {
  tenantId: string;
  workflowId: number;
}

/** What a test run executes. */
interface Tested {
  revision: number;
  content: WorkflowBundleContent;
  pins: Record<string, unknown>;
  /** Of a bundle that is stored already. */
  bundleId: number | null;
}

async function readWorkflow({ database }: NodeDeps, { tenantId, workflowId }: WorkflowKey) {
  const found = await database.reader(tenantId).workflow.findFirst({
    where: { tenantId, id: BigInt(workflowId), deletedAt: null },
    select: {
      revision: true,
      bundleId: true,
      bundleStatus: true,
      bundleError: true,
      draft: { select: { blob: true, baseRevision: true, pins: true } },
    },
  });
  if (!found) throw new NotFoundError();
  return found;
}

async function readDraft(deps: NodeDeps, key: WorkflowKey): Promise<Tested> {
  const { draft } = await readWorkflow(deps, key);
  if (!draft) throw new ConflictError('The workflow has no draft.');
  const bundling = await bundleBlob(deps, draft.blob, key);
  if (!bundling.ok) {
    const { errors } = await previewBlob(deps, key.tenantId, draft.blob, BigInt(key.workflowId));
    throw new ValidationError(Object.keys(errors).length > 0 ? errors : { draft: [bundling.error] });
  }
  const pins = draft.pins as Record<string, unknown>;
  return { revision: draft.baseRevision, content: bundling.content, pins, bundleId: null };
}

async function readPublished(deps: NodeDeps, key: WorkflowKey): Promise<Tested> {
  const { revision, bundleId, bundleStatus, bundleError } = await readWorkflow(deps, key);
  const id = requireBundle({
    bundle_id: bundleId === null ? null : Number(bundleId),
    bundle_status: bundleStatus,
    bundle_error: bundleError,
  });
  return { revision, content: await readBundle(deps.database, key.tenantId, id), pins: {}, bundleId: id };
}
