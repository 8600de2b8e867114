import type { BulkJob, ImportProfile } from '#prisma/client.ts';
import { toKeptProfile } from '#src/imports/profiles/profiles.service.ts';
import type { ImportDeps } from '#src/imports/targets/import-deps.ts';
import { unknownUpload, readUploadId } from '#src/imports/uploads/upload-id.rules.ts';
import type { Actor } from '#src/infra/deps.ts';
import { ConflictError, NotFoundError, ValidationError } from '#src/infra/errors.ts';
import { parseInput } from '#src/infra/inputs.ts';
import type { TenantTx } from '#src/infra/postgres/database.ts';
import { writeTraceparent } from '#src/infra/tracing/trace-context.ts';
import { recordAudit } from '#src/journal/audit/audit.service.ts';
import { notifyBulkJob } from './bulk-job-notices.service.ts';
import { auditedBulkJob, runBulkJobJob } from './bulk-jobs.declarations.ts';
import { startImportInput } from './bulk-jobs.inputs.ts';
import { hasEnded } from './bulk-jobs.rules.ts';
import { requeueFailed } from './bulk-jobs.store.ts';
import { wakeNext } from './wake-jobs.service.ts';

/**
 * Registers an uploaded file for import; the same upload again returns the same job, whatever else is given, and starts it again if it
 * failed before it wrote anything. Throws ValidationError
 * for an unknown upload or profile, and ConflictError while the file has not been sent.
 */
export async function startImport({ database, jobs }: ImportDeps, actor: Actor, given: unknown): Promise<BulkJob> {
  const input = parseInput(startImportInput, given);
  const { tenantId } = actor;
  const dryRun = input.dryRun === true;
  const uploadId = readUploadId(input.uploadId);
  return database.withTenant(tenantId, async (tx) => {
    const { rows } = await tx.query('SELECT id FROM uploads WHERE tenant_id = $1 AND id = $2 FOR UPDATE', [
      tenantId,
      uploadId,
    ]);
    const known = await tx.bulkJob.findFirst({ where: { tenantId, uploadId, dryRun } });
    if (known?.status === 'failed' && rows.length > 0) return restart(tx, { jobs }, actor, known, input.profile);
    if (known) return known;
    if (rows.length === 0) throw unknownUpload();
    const profile = await profileNamed(tx, tenantId, input.profile);
    const upload = await tx.upload.findFirst({ where: { tenantId, id: uploadId } });
    if (!upload?.storageKey)
      throw new ConflictError('The file has not been sent yet. PUT it to the address of the upload first.');
    return createImportJob(tx, { jobs }, actor, { uploadId, profile, dryRun });
  });
}

/** A failed job as it is after it was queued again; as it was, where it has written rows. */
async function restart(
  tx: TenantTx,
  { jobs }: Pick<ImportDeps, 'jobs'>,
  actor: Actor,
  job: BulkJob,
  named: string,
): Promise<BulkJob> {
  const { tenantId } = actor;
  const id = Number(job.id);
  const profile = await profileNamed(tx, tenantId, named);
  const started = { target: profile.target, profile: toKeptProfile(profile), profileName: profile.name };
  if (!(await requeueFailed(tx, { tenantId, id }, started))) return job;
  const metadata = { profile: profile.name, dry_run: job.dryRun };
  await recordAudit(tx, actor, { resource: auditedBulkJob, action: 'start', resourceId: job.id, metadata });
  await jobs.send(runBulkJobJob, { tenantId, bulkJobId: id }, { tx });
  notifyBulkJob(tx, tenantId, id);
  return tx.bulkJob.findUniqueOrThrow({ where: { tenantId_id: { tenantId, id: job.id } } });
}

/** The profile of this name. Throws ValidationError. */
export async function profileNamed(tx: TenantTx, tenantId: string, name: string): Promise<ImportProfile> {
  const profile = await tx.importProfile.findFirst({ where: { tenantId, name } });
  if (profile) return profile;
  throw new ValidationError({ profile: ['There is no profile of this name. See GET /v1/io/import-profiles.'] });
}

/** Makes the job that imports a stored file, in the transaction that knows that the file has no job yet. */
export async function createImportJob(
  tx: TenantTx,
  { jobs }: Pick<ImportDeps, 'jobs'>,
  actor: Actor,
  {
    uploadId,
    profile,
    dryRun = false,
    idempotencyKey,
  }: { uploadId: bigint; profile: ImportProfile; dryRun?: boolean; idempotencyKey?: string },
): Promise<BulkJob> {
  const { tenantId } = actor;
  const job = await tx.bulkJob.create({
    data: {
      tenantId,
      target: profile.target,
      profile: toKeptProfile(profile),
      profileName: profile.name,
      uploadId,
      dryRun,
      idempotencyKey: idempotencyKey ?? null,
      announcedAt: new Date(),
      requestId: actor.requestId ?? null,
      traceparent: actor.trace ? writeTraceparent(actor.trace) : null,
    },
  });
  const metadata = { profile: profile.name, dry_run: dryRun };
  await recordAudit(tx, actor, { resource: auditedBulkJob, action: 'start', resourceId: job.id, metadata });
  await jobs.send(runBulkJobJob, { tenantId, bulkJobId: Number(job.id) }, { tx });
  return job;
}

/**
 * Cancels a job: one that runs stops at its next chunk, and what it merged stays. Throws ConflictError for one that has ended.
 */
export async function cancelBulkJob(deps: ImportDeps, actor: Actor, id: bigint): Promise<BulkJob> {
  const { tenantId } = actor;
  const cancelled = await deps.database.withTenant(tenantId, async (tx) => {
    await tx.query('SELECT FROM bulk_jobs WHERE tenant_id = $1 AND id = $2 FOR UPDATE', [tenantId, id]);
    const job = await tx.bulkJob.findUnique({ where: { tenantId_id: { tenantId, id } } });
    if (!job) throw new NotFoundError();
    if (hasEnded(job.status)) throw new ConflictError(`The job has ended: it is ${job.status}.`);
    const data = job.status === 'queued' ? { status: 'cancelled', finishedAt: new Date() } : { cancelRequested: true };
    const after = await tx.bulkJob.update({ where: { tenantId_id: { tenantId, id } }, data });
    await recordAudit(tx, actor, { resource: auditedBulkJob, action: 'cancel', resourceId: id });
    notifyBulkJob(tx, tenantId, Number(id));
    return after;
  });
  if (hasEnded(cancelled.status)) await wakeNext(deps, tenantId);
  return cancelled;
}
