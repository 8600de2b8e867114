import type { Workflow } from '#prisma/client.ts';
import type { NodeDeps } from '#src/automation/node-api/node-deps.ts';
import type { RunQueue } from '#src/automation/runs/run-queue.service.ts';
import { previewBlob } from '#src/automation/workflows/bundles.service.ts';
import { notifyWorkflow } from '#src/automation/workflows/workflow-notices.service.ts';
import { lockWorkflow, updateWorkflow } from '#src/automation/workflows/workflows.service.ts';
import type { Actor, Deps } from '#src/infra/deps.ts';
import { ConflictError, NotFoundError, ValidationError } from '#src/infra/errors.ts';
import { parseInput } from '#src/infra/inputs.ts';
import type { TenantTx } from '#src/infra/postgres/database.ts';
import { recordAudit } from '#src/journal/audit/audit.service.ts';
import { DraftConflictError } from './draft-conflict.rules.ts';
import { mergeBlobs } from './draft-merge.rules.ts';
import { auditedDraft } from './drafts.declarations.ts';
import { discardDraftInput, findExcess, publishDraftInput, saveDraftInput } from './drafts.inputs.ts';
import type { DraftRow } from './drafts.reads.ts';
import { archiveDraft, type DraftKey, lastVersion, lockRevision, writeDraft } from './drafts.store.ts';

/** A save that meets a newer revision at each of so many attempts is refused. */
const maxAttempts = 5;

/**
 * Saves the draft if it is still at `version`. A base that is older than the workflow is merged with the newest revision first. Throws
 * DraftConflictError when the version is stale or that merge has conflicts; nothing is changed then. Blobs are merged without a lock, which a
 * trigger that fires would wait for, and the save is tried again if the workflow changed meanwhile.
 */
export async function saveDraft(deps: Deps, actor: Actor, workflowId: bigint, given: unknown): Promise<SavedDraft> {
  const input = parseInput(saveDraftInput, given);
  const key = { tenantId: actor.tenantId, workflowId };
  let merged: Rebased | undefined;
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const saved = await storeDraft(deps, actor, key, input, merged);
    if (saved) return saved;
    merged = await rebaseDraft(deps, key, input);
  }
  throw new ConflictError('The workflow changes faster than the draft can be merged. Save it again.');
}

export interface SavedDraft {
  workflow: Pick<Workflow, 'id'>;
  draft: DraftRow;
  /** The blob was merged with a newer revision, and may differ from the one that was sent. */
  isMerged: boolean;
}

interface Save {
  version: number;
  baseRevision: number;
  blob: unknown;
  pins?: unknown;
}

/** A blob that contains the changes of a revision. */
interface Rebased {
  revision: number;
  blob: unknown;
}

/** Undefined when the draft or the workflow is newer than what the save was made from: nothing is changed then. */
async function storeDraft(
  { database }: Deps,
  actor: Actor,
  key: DraftKey,
  { version, baseRevision, blob: sent, pins }: Save,
  merged: Rebased | undefined,
): Promise<SavedDraft | undefined> {
  return database.withTenant(key.tenantId, async (tx) => {
    const { revision } = await lockRevision(tx, key);
    const where = { tenantId_workflowId: key };
    const draft = await tx.workflowDraft.findUnique({ where, select: { version: true, pins: !pins } });
    if (baseRevision > revision)
      throw new ValidationError({ baseRevision: [`The workflow is at revision ${revision}.`] });
    const isMerged = baseRevision < revision;
    if (version !== (draft?.version ?? 0) || (isMerged && merged?.revision !== revision)) return undefined;
    if (draft) await archiveDraft(tx, key);
    const saved = {
      version: (draft?.version ?? (await lastVersion(tx, key))) + 1,
      blob: isMerged ? merged?.blob : sent,
      baseRevision: revision,
      savedAt: new Date(),
    };
    await writeDraft(tx, key, { ...saved, savedBy: actor.userId, ...(pins ? { pins } : {}) });
    const metadata = { version: saved.version, base_revision: revision, merged: isMerged };
    await recordAudit(tx, actor, { resource: auditedDraft, action: 'save', resourceId: key.workflowId, metadata });
    notifyWorkflow(tx, key.tenantId, key.workflowId, 'draft_saved', { by: actor, number: saved.version });
    const savedBy = actor.email ?? actor.sub;
    return {
      workflow: { id: key.workflowId },
      isMerged,
      draft: {
        ...saved,
        tenantId: key.tenantId,
        workflowId: Number(key.workflowId),
        pins: pins ?? draft?.pins ?? {},
        savedBy,
        savedAt: saved.savedAt.toISOString(),
        isBehind: false,
      },
    };
  });
}

/**
 * The sent blob with the changes that the newest revision made since its base. Throws DraftConflictError where they disagree, and for a stale
 * version.
 */
async function rebaseDraft({ database }: Deps, key: DraftKey, save: Save): Promise<Rebased> {
  const { workflow, draft, base } = await database.withTenant(key.tenantId, (tx) => readSides(tx, key, save));
  const { version, baseRevision, blob: mine } = save;
  const isStale = version !== (draft?.version ?? 0);
  const theirs = isStale ? (draft?.blob ?? workflow.blob) : workflow.blob;
  const merge = mergeBlobs(base, mine, theirs);
  if (isStale || merge.conflicts.length > 0) {
    // The merge contains the changes of both bases.
    const newest = Math.max(draft?.baseRevision ?? workflow.revision, baseRevision);
    throw new DraftConflictError({
      workflowId: key.workflowId,
      version: draft?.version ?? 0,
      baseRevision: isStale ? newest : workflow.revision,
      base,
      mine,
      theirs,
      merge,
    });
  }
  const excess = findExcess(merge.blob);
  if (excess !== undefined)
    throw new ValidationError({
      blob: [`Merged with revision ${workflow.revision}, the draft is too large. ${excess}`],
    });
  return { revision: workflow.revision, blob: merge.blob };
}

/** Reads the workflow, its draft, and the base blob of the save; the base is undefined if it was deleted. */
async function readSides(tx: TenantTx, key: DraftKey, { version, baseRevision }: Save) {
  const { tenantId, workflowId: id } = key;
  const workflow = await tx.workflow.findFirst({
    where: { tenantId, id, deletedAt: null },
    select: { tenantId: true, id: true, revision: true, blob: true },
  });
  if (!workflow) throw new NotFoundError();
  const draft = await tx.workflowDraft.findUnique({
    where: { tenantId_workflowId: key },
    select: { version: true, baseRevision: true, blob: true },
  });
  const isStale = version !== (draft?.version ?? 0);
  const base =
    (isStale ? await draftVersion(tx, key, version) : undefined) ?? (await revisionBlob(tx, workflow, baseRevision));
  return { workflow, draft, base };
}

/** Undefined for a version that is too old to be kept. */
async function draftVersion(tx: TenantTx, key: DraftKey, version: number): Promise<unknown> {
  const where = { tenantId_workflowId_version: { ...key, version } };
  return (await tx.workflowDraftVersion.findUnique({ where, select: { blob: true } }))?.blob;
}

/** Undefined for a revision that retention has deleted. */
async function revisionBlob(
  tx: TenantTx,
  workflow: Pick<Workflow, 'tenantId' | 'id' | 'revision' | 'blob'>,
  revision: number,
): Promise<unknown> {
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
    notifyWorkflow(tx, tenantId, workflowId, 'draft_discarded', { by: actor, number: version });
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
    throw new ConflictError(`The draft is at version ${draft.version}. Load it again and repeat your change.`, {
      currentVersion: draft.version,
    });
  return draft;
}
