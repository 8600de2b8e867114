import type { Workflow, WorkflowDraft } from '#prisma/client.ts';
import type { NodeDeps } from '#src/automation/node-api/node-deps.ts';
import type { RunQueue } from '#src/automation/runs/run-queue.service.ts';
import { previewBlob } from '#src/automation/workflows/bundles.service.ts';
import { lockWorkflow, updateWorkflow } from '#src/automation/workflows/workflows.service.ts';
import type { Actor, Deps } from '#src/infra/deps.ts';
import { ConflictError, NotFoundError, ValidationError } from '#src/infra/errors.ts';
import { parseInput } from '#src/infra/inputs.ts';
import type { TenantTx } from '#src/infra/postgres/database.ts';
import { recordAudit } from '#src/journal/audit/audit.service.ts';
import { DraftConflictError } from './draft-conflict.rules.ts';
import { mergeBlobs } from './draft-merge.rules.ts';
import { auditedDraft } from './drafts.declarations.ts';
import { discardDraftInput, isWithinBytes, publishDraftInput, saveDraftInput, tooLarge } from './drafts.inputs.ts';
import type { DraftRow } from './drafts.reads.ts';
import { archiveDraft, type DraftKey, lastVersion } from './drafts.store.ts';

/**
 * Saves the draft if it is still at `version`. A base that is older than the workflow is merged with the newest revision first. Throws
 * DraftConflictError when the version is stale or that merge has conflicts; nothing is changed then.
 */
export async function saveDraft(deps: Deps, actor: Actor, workflowId: bigint, given: unknown): Promise<SavedDraft> {
  const { version, baseRevision, blob: sent, pins } = parseInput(saveDraftInput, given);
  const { tenantId } = actor;
  const key = { tenantId, workflowId };
  return deps.database.withTenant(tenantId, async (tx) => {
    const workflow = await lockWorkflow(tx, tenantId, workflowId);
    const draft = await tx.workflowDraft.findUnique({ where: { tenantId_workflowId: key } });
    if (baseRevision > workflow.revision)
      throw new ValidationError({ baseRevision: [`The workflow is at revision ${workflow.revision}.`] });
    if (version !== (draft?.version ?? 0)) throw await staleSave(tx, workflow, draft, { version, baseRevision, sent });
    const isBehind = baseRevision < workflow.revision;
    const blob = isBehind ? await onNewestRevision(tx, workflow, { version, baseRevision, sent }) : sent;
    if (draft) await archiveDraft(tx, key);
    const saved = {
      version: (draft?.version ?? (await lastVersion(tx, key))) + 1,
      blob: blob as object,
      baseRevision: workflow.revision,
      ...(pins && { pins: pins as object }),
      savedBy: actor.userId,
      savedAt: new Date(),
    };
    const where = { tenantId_workflowId: key };
    const row = await tx.workflowDraft.upsert({ where, create: { ...key, ...saved }, update: saved });
    const metadata = { version: saved.version, base_revision: saved.baseRevision, merged: isBehind };
    await recordAudit(tx, actor, { resource: auditedDraft, action: 'save', resourceId: workflowId, metadata });
    const savedBy = actor.email ?? actor.sub;
    const savedAt = row.savedAt.toISOString();
    return {
      workflow,
      isMerged: isBehind,
      draft: { ...row, workflowId: Number(workflowId), savedBy, savedAt, isBehind: false },
    };
  });
}

export interface SavedDraft {
  workflow: Workflow;
  draft: DraftRow;
  /** The blob was merged with a newer revision, and may differ from the one that was sent. */
  isMerged: boolean;
}

interface Save {
  version: number;
  baseRevision: number;
  sent: unknown;
}

/** The conflict of a save that began with another draft than the present one; without a draft, the newest revision is the other side. */
async function staleSave(
  tx: TenantTx,
  workflow: Workflow,
  draft: WorkflowDraft | null,
  { version, baseRevision, sent }: Save,
): Promise<DraftConflictError> {
  const theirs = draft?.blob ?? workflow.blob;
  const theirRevision = draft?.baseRevision ?? workflow.revision;
  const base =
    (await draftVersion(tx, { tenantId: workflow.tenantId, workflowId: workflow.id }, version)) ??
    (await revisionBlob(tx, workflow, baseRevision));
  return new DraftConflictError({
    workflowId: workflow.id,
    version: draft?.version ?? 0,
    // The merge contains the changes of both bases.
    baseRevision: Math.max(theirRevision, baseRevision),
    base,
    mine: sent,
    theirs,
    merge: mergeBlobs(base, sent, theirs),
  });
}

/** The blob with the changes that the newest revision made since its base. Throws DraftConflictError where they disagree. */
async function onNewestRevision(tx: TenantTx, workflow: Workflow, { version, baseRevision, sent }: Save) {
  const theirs = workflow.blob;
  const base = await revisionBlob(tx, workflow, baseRevision);
  const merge = mergeBlobs(base, sent, theirs);
  if (merge.conflicts.length > 0) {
    const { id: workflowId, revision } = workflow;
    throw new DraftConflictError({ workflowId, version, baseRevision: revision, base, mine: sent, theirs, merge });
  }
  if (!isWithinBytes(merge.blob)) throw new ValidationError({ blob: [tooLarge] });
  return merge.blob;
}

/** Undefined for a version that is too old to be kept. */
async function draftVersion(tx: TenantTx, key: DraftKey, version: number): Promise<unknown> {
  const where = { tenantId_workflowId_version: { ...key, version } };
  return (await tx.workflowDraftVersion.findUnique({ where, select: { blob: true } }))?.blob;
}

/** Undefined for a revision that retention has deleted. */
async function revisionBlob(tx: TenantTx, workflow: Workflow, revision: number): Promise<unknown> {
  if (revision === workflow.revision) return workflow.blob;
  const key = { tenantId: workflow.tenantId, workflowId: workflow.id, revision };
  const where = { tenantId_workflowId_revision: key };
  return (await tx.workflowRevision.findUnique({ where, select: { blob: true } }))?.blob;
}

/**
 * Makes the draft the workflow's next revision, in one transaction. Throws ConflictError for a stale version or an old base, and
 * ValidationError for a draft that is not valid.
 */
export async function publishDraft(
  deps: NodeDeps & RunQueue,
  actor: Actor,
  workflowId: bigint,
  given: unknown,
): Promise<Workflow> {
  const { version, note } = parseInput(publishDraftInput, given);
  const { tenantId } = actor;
  const { draft, ...workflow } = await findWorkflow(deps, tenantId, workflowId);
  const { blob, baseRevision } = present(draft, version);
  if (baseRevision < workflow.revision)
    throw new ConflictError(
      `The draft is based on revision ${baseRevision}, and the workflow is at ${workflow.revision}. Save the draft to merge them, then publish.`,
    );
  const { errors } = await previewBlob(deps, tenantId, blob, workflowId);
  if (Object.keys(errors).length > 0) throw new ValidationError(errors);
  const changes = { blob, revision: baseRevision, note };
  return updateWorkflow(deps, actor, workflowId, changes, {
    async publishing(tx) {
      await removeDraft(tx, { tenantId, workflowId }, version);
      const metadata = { version };
      await recordAudit(tx, actor, { resource: auditedDraft, action: 'publish', resourceId: workflowId, metadata });
    },
  });
}

async function findWorkflow({ database }: Pick<Deps, 'database'>, tenantId: string, id: bigint) {
  const where = { tenantId, id, deletedAt: null };
  const found = await database.reader(tenantId).workflow.findFirst({ where, select: { revision: true, draft: true } });
  if (!found) throw new NotFoundError();
  return found;
}

/** Deletes the draft; the workflow stays as it was published. Throws ConflictError for a stale version. */
export async function discardDraft(deps: Deps, actor: Actor, workflowId: bigint, given: unknown): Promise<Workflow> {
  const { version } = parseInput(discardDraftInput, given);
  const { tenantId } = actor;
  return deps.database.withTenant(tenantId, async (tx) => {
    const workflow = await lockWorkflow(tx, tenantId, workflowId);
    await removeDraft(tx, { tenantId, workflowId }, version);
    const metadata = { version };
    await recordAudit(tx, actor, { resource: auditedDraft, action: 'discard', resourceId: workflowId, metadata });
    return workflow;
  });
}

/** Removes the draft of a locked workflow. Its blob stays among the earlier versions, for saves that began with it. */
async function removeDraft(tx: TenantTx, key: DraftKey, version: number): Promise<void> {
  const where = { tenantId_workflowId: key };
  present(await tx.workflowDraft.findUnique({ where, select: { version: true } }), version);
  await archiveDraft(tx, key);
  await tx.workflowDraft.delete({ where, select: { version: true } });
}

function present<Draft extends { version: number }>(draft: Draft | null, version: number): Draft {
  if (!draft) throw new ConflictError('The workflow has no draft.');
  if (draft.version !== version)
    throw new ConflictError(`The draft is at version ${draft.version}. Load it again and repeat your change.`);
  return draft;
}
