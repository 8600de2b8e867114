import type { Workflow } from '#prisma/client.ts';
import { workflowReferences } from '#src/automation/blob/workflow-references.rules.ts';
import { keepCredentialUses } from '#src/automation/credentials/credential-uses.service.ts';
import type { NodeDeps } from '#src/automation/node-api/node-deps.ts';
import { planPolls } from '#src/automation/polls/polls.service.ts';
import type { RunQueue } from '#src/automation/runs/run-queue.service.ts';
import { betweenTicks, planSchedules } from '#src/automation/schedules/schedules.service.ts';
import type { Actor, Deps } from '#src/infra/deps.ts';
import { ConflictError, NotFoundError } from '#src/infra/errors.ts';
import { parseInput } from '#src/infra/inputs.ts';
import { sameJson } from '#src/infra/json.ts';
import type { TenantTx } from '#src/infra/postgres/database.ts';
import { namesUnique } from '#src/infra/postgres/sql-errors.ts';
import { recordAudit } from '#src/journal/audit/audit.service.ts';
import { checkBlob } from './bundles.service.ts';
import { keepWorkflowCalls } from './calls/workflow-calls.store.ts';
import { notifyWorkflow } from './workflow-notices.service.ts';
import { auditedTrigger, auditedWorkflow, buildWorkflowJob, stopWorkflowRunsJob } from './workflows.declarations.ts';
import { createWorkflowInput, emptyBlob, updateWorkflowInput } from './workflows.inputs.ts';
import { pruneRevisions } from './workflows.store.ts';

/** Finds a workflow of the actor's tenant that is not deleted, and locks it until the transaction ends. */
export async function lockWorkflow(tx: TenantTx, tenantId: string, id: bigint): Promise<Workflow> {
  await tx.$queryRaw`SELECT 1 FROM workflows WHERE tenant_id = ${tenantId} AND id = ${id} FOR NO KEY UPDATE`;
  const workflow = await tx.workflow.findFirst({ where: { tenantId, id, deletedAt: null } });
  if (!workflow) throw new NotFoundError();
  return workflow;
}

/** Marks the workflow as building and queues the build, in the caller's transaction. */
async function requestBuild({ jobs }: Deps, tx: TenantTx, { tenantId, id }: Pick<Workflow, 'tenantId' | 'id'>) {
  await jobs.send(buildWorkflowJob, { tenantId, workflowId: Number(id) }, { tx });
  notifyWorkflow(tx, tenantId, id, 'bundle');
  return tx.workflow.update({
    where: { tenantId_id: { tenantId, id } },
    data: { bundleStatus: 'building', bundleError: null },
  });
}

/** Creates a workflow and queues its build; `template` names the template it came from (`erp:order-to-erp 1.0.0`). */
export async function createWorkflow(
  deps: NodeDeps & RunQueue,
  actor: Actor,
  given: unknown,
  { template }: { template?: string } = {},
): Promise<Workflow> {
  const input = parseInput(createWorkflowInput, given);
  const { tenantId } = actor;
  const references = input.blob ? await checkBlob(deps, input.blob) : [];
  const blob: object = input.blob ?? emptyBlob;
  return namesUnique(() =>
    deps.database.withTenant(tenantId, async (tx) => {
      const { id } = await tx.workflow.create({
        data: {
          tenantId,
          name: input.name,
          description: input.description ?? null,
          active: input.active ?? true,
          blob,
          revisionAuthor: actor.userId,
          revisionNote: template === undefined ? null : `From the template ${template}.`,
        },
      });
      await keepCredentialUses(tx, { tenantId, workflowId: id }, references);
      if (input.blob) await keepWorkflowCalls(tx, { tenantId, workflowId: id }, workflowReferences(input.blob));
      const metadata = { name: input.name, ...(template !== undefined && { template }) };
      await recordAudit(tx, actor, { resource: auditedWorkflow, action: 'create', resourceId: id, metadata });
      return requestBuild(deps, tx, { tenantId, id });
    }),
  );
}

/**
 * Changes the given fields. A changed blob makes a new revision: the old one is archived and a build is queued. Throws
 * ConflictError when `revision` or `version` is given and stale. With `restoredFrom` the blob comes from an earlier revision, and makes a
 * new one even if it equals the current blob. So does `publishing`, which runs in the transaction while the workflow is locked.
 */
export async function updateWorkflow(
  deps: NodeDeps & RunQueue,
  actor: Actor,
  id: bigint,
  given: unknown,
  { restoredFrom, publishing }: { restoredFrom?: number; publishing?: (tx: TenantTx) => Promise<void> } = {},
): Promise<Workflow> {
  const input = parseInput(updateWorkflowInput, given);
  const { tenantId } = actor;
  const references = input.blob ? await checkBlob(deps, input.blob, id) : [];
  return namesUnique(() =>
    betweenTicks(deps, { tenantId, workflowId: id }, async (tx) => {
      const workflow = await lockWorkflow(tx, tenantId, id);
      if (input.revision !== undefined && input.revision !== workflow.revision) {
        throw new ConflictError(
          `The workflow is at revision ${workflow.revision}. Load it again and repeat your change.`,
          { currentVersion: workflow.version },
        );
      }
      if (input.version !== undefined && input.version !== workflow.version) {
        throw new ConflictError(
          `The workflow is at version ${workflow.version}. Load it again and repeat your change.`,
          { currentVersion: workflow.version },
        );
      }
      await publishing?.(tx);
      const isNew = restoredFrom !== undefined || publishing !== undefined;
      const blobChanged = input.blob !== undefined && (isNew || !sameJson(input.blob, workflow.blob));
      const { revision: _seen, version: _known, note, blob, ...fields } = input;
      const data = {
        ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)),
        ...(blobChanged && { blob: blob as object, revision: workflow.revision + 1 }),
      };
      if (Object.keys(data).length === 0) return workflow;
      if (blobChanged) {
        await keepCredentialUses(tx, { tenantId, workflowId: id }, references);
        if (input.blob) await keepWorkflowCalls(tx, { tenantId, workflowId: id }, workflowReferences(input.blob));
        await archiveRevision(tx, workflow);
      }
      const updated = await tx.workflow.update({
        where: { tenantId_id: { tenantId, id } },
        data: {
          ...data,
          version: workflow.version + 1,
          ...(blobChanged && {
            revisionAuthor: actor.userId,
            revisionCreatedAt: new Date(),
            revisionNote: note || null,
          }),
        },
      });
      if (updated.active !== workflow.active) {
        await planSchedules(deps, tx, { tenantId, workflowId: id });
        await planPolls(tx, { tenantId, workflowId: id });
      }
      const metadata = {
        changed: Object.keys(data),
        revision: updated.revision,
        ...(restoredFrom !== undefined && { restored_from: restoredFrom }),
      };
      await recordAudit(tx, actor, { resource: auditedWorkflow, action: 'update', resourceId: id, metadata });
      if (blobChanged) notifyWorkflow(tx, tenantId, id, 'published', { by: actor, number: updated.revision });
      else notifyWorkflow(tx, tenantId, id, 'changed', { by: actor });
      return blobChanged ? requestBuild(deps, tx, updated) : updated;
    }),
  );
}

/** Runs need no archived revision: they use a bundle, which contains the blob. */
async function archiveRevision(tx: TenantTx, workflow: Workflow): Promise<void> {
  await tx.workflowRevision.create({
    data: {
      tenantId: workflow.tenantId,
      workflowId: workflow.id,
      revision: workflow.revision,
      blob: workflow.blob as object,
      createdBy: workflow.revisionAuthor,
      createdAt: workflow.revisionCreatedAt,
      note: workflow.revisionNote,
    },
    select: { revision: true },
  });
  await pruneRevisions(tx, workflow);
}

/** By then, firings that found the workflow before it was deleted have created their runs. */
const secondLookMs = 15_000;

/** Deletes the workflow immediately. Its active runs are asked to stop; its history is purged later in bounded batches. */
export async function deleteWorkflow(
  deps: Pick<Deps, 'database' | 'log'> & RunQueue,
  actor: Actor,
  id: bigint,
): Promise<void> {
  const { tenantId } = actor;
  await betweenTicks(deps, { tenantId, workflowId: id }, async (tx) => {
    const workflow = await lockWorkflow(tx, tenantId, id);
    await tx.workflow.update({
      where: { tenantId_id: { tenantId, id } },
      data: { deletedAt: new Date(), active: false },
    });
    const triggers = await tx.trigger.findMany({ where: { tenantId, workflowId: id }, orderBy: { id: 'asc' } });
    await tx.trigger.deleteMany({ where: { tenantId, workflowId: id } });
    for (const trigger of triggers) {
      const metadata = { workflow_id: Number(id), name: trigger.name };
      await recordAudit(tx, actor, { resource: auditedTrigger, action: 'delete', resourceId: trigger.id, metadata });
    }
    await keepCredentialUses(tx, { tenantId, workflowId: id }, []);
    await keepWorkflowCalls(tx, { tenantId, workflowId: id }, []);
    for (const startAfter of [undefined, new Date(Date.now() + secondLookMs)])
      await deps.jobs.send(
        stopWorkflowRunsJob,
        { tenantId, workflowId: Number(id) },
        { tx, ...(startAfter && { startAfter }) },
      );
    await recordAudit(tx, actor, {
      resource: auditedWorkflow,
      action: 'delete',
      resourceId: id,
      metadata: { name: workflow.name },
    });
    notifyWorkflow(tx, tenantId, id, 'deleted', { by: actor });
  });
}

export async function rebuildWorkflow(deps: Deps, actor: Actor, id: bigint): Promise<Workflow> {
  const { tenantId } = actor;
  return deps.database.withTenant(tenantId, async (tx) => {
    await lockWorkflow(tx, tenantId, id);
    return requestBuild(deps, tx, { tenantId, id });
  });
}
