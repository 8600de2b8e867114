import { z } from 'zod';
import { type CredentialReference, credentialReferences } from '#src/automation/blob/blob-nodes.rules.ts';
import type { WorkflowBlob } from '#src/automation/blob/blob.inputs.ts';
import { workflowBlobSchema } from '#src/automation/blob/blob.inputs.ts';
import { type BlobCheck, report, validateBlob } from '#src/automation/blob/blob.rules.ts';
import { type Bundling, bundleWorkflow, checkAll } from '#src/automation/blob/bundle.rules.ts';
import { listSecretKeys } from '#src/automation/blob/mistakes.rules.ts';
import type { NodeDeps } from '#src/automation/node-api/node-deps.ts';
import type { RunQueue } from '#src/automation/runs/run-queue.service.ts';
import { dispatchHeld } from '#src/automation/runs/run-queue.service.ts';
import type { Deps } from '#src/infra/deps.ts';
import { ValidationError } from '#src/infra/errors.ts';
import { inputSentence } from '#src/infra/input-messages.ts';
import { parseInput } from '#src/infra/inputs.ts';
import type { TenantTx } from '#src/infra/postgres/database.ts';
import { missingReferences } from './blob-references.reads.ts';
import { loadCatalogue } from './node-catalogue.reads.ts';
import { notifyWorkflow } from './workflow-notices.service.ts';
import { lockRevision, type WorkflowKey } from './workflows.store.ts';

/**
 * Refuses a blob with unknown nodes, cycles, dangling edges or broken expressions. Throws a ValidationError keyed by path
 * (`blob.nodes.0.version`). Returns the credentials that a valid blob names.
 */
export async function checkBlob(
  deps: NodeDeps,
  blob: WorkflowBlob,
  workflowId?: bigint,
): Promise<CredentialReference[]> {
  const catalogue = await loadCatalogue(deps, blob);
  const { errors } = await validateBlob(blob, { catalogue, ...(workflowId !== undefined && { workflowId }) });
  if (Object.keys(errors).length > 0) throw new ValidationError(errors);
  return credentialReferences(blob, catalogue);
}

const blobInput = z.object({ blob: workflowBlobSchema });

/** The errors and warnings that saving and building the blob would produce, without doing either. */
export async function previewBlob(
  deps: NodeDeps,
  tenantId: string,
  given: unknown,
  workflowId?: bigint,
): Promise<BlobCheck> {
  try {
    const { blob } = parseInput(blobInput, { blob: given });
    const catalogue = await loadCatalogue(deps, blob);
    const secrets = await secretsAmong(deps, tenantId, await listSecretKeys(blob, catalogue));
    const check = await checkAll(blob, catalogue, secrets, workflowId);
    for (const { path, message } of await missingReferences(deps.database, tenantId, blob, catalogue))
      report(check, { severity: 'error', code: 'missing_reference', path, message });
    return check;
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    const check: BlobCheck = { errors: {}, warnings: {}, issues: [] };
    for (const [path, messages] of Object.entries(error.fields))
      for (const message of messages) report(check, { severity: 'error', code: 'invalid_blob', path, message });
    return check;
  }
}

/** Returns those of the keys under which the tenant has a secret. */
async function secretsAmong({ database }: NodeDeps, tenantId: string, keys: string[]): Promise<Set<string>> {
  if (keys.length === 0) return new Set();
  const where = { tenantId, key: { in: keys } };
  const rows = await database.reader(tenantId).tenantSecret.findMany({ where, select: { key: true } });
  return new Set(rows.map(({ key }) => key));
}

/**
 * Makes the workflow's current revision runnable, or records why it cannot run. Does nothing for a revision that was replaced
 * meanwhile: the newer one has its own build.
 */
export async function buildWorkflow(deps: NodeDeps & RunQueue, { tenantId, workflowId }: WorkflowKey): Promise<void> {
  const { database } = deps;
  const where = { tenantId, id: BigInt(workflowId), deletedAt: null };
  const workflow = await database
    .reader(tenantId)
    .workflow.findFirst({ where, select: { revision: true, blob: true } });
  if (!workflow) return;
  const bundling = await bundleBlob(deps, workflow.blob, { tenantId, workflowId });
  const isCurrent = await database.withTenant(tenantId, async (tx) => {
    const { revision } = workflow;
    if (!(await lockRevision(tx, { tenantId, workflowId }, revision))) return false;
    const outcome = bundling.ok
      ? await storeBundle(tx, { tenantId, workflowId }, revision, bundling.content)
      : { bundleStatus: 'failed' as const, bundleError: bundling.error.slice(0, 2_000) };
    await tx.workflow.update({
      where: { tenantId_id: { tenantId, id: where.id } },
      data: { ...outcome, bundleRevision: revision, bundleBuiltAt: new Date() },
    });
    notifyWorkflow(tx, tenantId, workflowId, 'bundle');
    return true;
  });
  // A higher limit, or none, lets waiting runs start. If the process dies in between, the job runs again.
  if (isCurrent && bundling.ok) {
    await database.withTenantSql(tenantId, (tx) => dispatchHeld(tx, deps, tenantId, workflowId));
  }
}

/** What a run of the stored blob needs, or why it cannot run. */
export async function bundleBlob(
  deps: NodeDeps,
  stored: unknown,
  { tenantId, workflowId }: WorkflowKey,
): Promise<Bundling> {
  const blob = workflowBlobSchema.safeParse(stored, { error: inputSentence('blob') });
  if (!blob.success) return { ok: false, error: `The stored blob is not valid: ${blob.error.issues[0]?.message}` };
  const catalogue = await loadCatalogue(deps, blob.data);
  const [missing] = await missingReferences(deps.database, tenantId, blob.data, catalogue);
  if (missing) return { ok: false, error: `${missing.at}: ${missing.message}` };
  return bundleWorkflow(blob.data, catalogue, workflowId);
}

async function storeBundle(
  tx: TenantTx,
  { tenantId, workflowId }: WorkflowKey,
  revision: number,
  content: (Bundling & { ok: true })['content'],
) {
  const stored: object = content;
  const { id } = await tx.workflowBundle.create({
    data: { tenantId, workflowId: BigInt(workflowId), revision, content: stored },
    select: { id: true },
  });
  const concurrency = content.blob.settings?.concurrency ?? null;
  return { bundleStatus: 'ready' as const, bundleError: null, bundleId: id, concurrency };
}

export interface WorkflowCredential {
  nodeId: string;
  field: string;
  credentialId: string;
  /** Null when the credential does not exist and its field accepts several types. */
  credentialTypeSlug: string | null;
}

/** The credentials that a workflow's nodes name in their config: only ids and types, never values. */
export async function workflowCredentials(
  deps: NodeDeps,
  tenantId: string,
  stored: unknown,
): Promise<WorkflowCredential[]> {
  const blob = workflowBlobSchema.safeParse(stored, { error: inputSentence('blob') });
  if (!blob.success) return [];
  const references = credentialReferences(blob.data, await loadCatalogue(deps, blob.data));
  const slugs = await findTypes(deps.database, tenantId, references);
  return references.map(({ types, ...reference }) => ({
    ...reference,
    credentialTypeSlug: slugs.get(reference.credentialId) ?? (types.length === 1 ? (types[0] ?? null) : null),
  }));
}

/** The type slugs of the named credentials, by id. */
async function findTypes(database: Deps['database'], tenantId: string, references: readonly CredentialReference[]) {
  if (references.length === 0) return new Map<string, string>();
  const rows = await database.reader(tenantId).credential.findMany({
    where: { tenantId, id: { in: references.map(({ credentialId }) => BigInt(credentialId)) } },
    select: { id: true, credentialTypeSlug: true },
  });
  return new Map(rows.map(({ id, credentialTypeSlug }) => [String(id), credentialTypeSlug]));
}
