import type { BulkJob, ImportProfile } from '#prisma/client.ts';
import { auditedBulkJob, runBulkJobJob } from '#src/imports/bulk-jobs/bulk-jobs.declarations.ts';
import { profileNamed } from '#src/imports/bulk-jobs/bulk-jobs.service.ts';
import { startOnce } from '#src/imports/bulk-jobs/start-once.service.ts';
import { toKeptProfile } from '#src/imports/profiles/profiles.service.ts';
import type { ExportTarget } from '#src/imports/targets/export-target.ts';
import type { ImportDeps } from '#src/imports/targets/import-deps.ts';
import type { Actor } from '#src/infra/deps.ts';
import { ValidationError } from '#src/infra/errors.ts';
import { parseInput } from '#src/infra/inputs.ts';
import type { TenantTx } from '#src/infra/postgres/database.ts';
import { writeTraceparent } from '#src/infra/tracing/trace-context.ts';
import { recordAudit } from '#src/journal/audit/audit.service.ts';
import { layOut } from './export-layout.rules.ts';
import { type KeptExport, plainProfile, startExportInput } from './exports.inputs.ts';

/** Starts an export as a job. ValidationError for an unknown target, profile or filter, and for columns that the format cannot hold. */
export async function startExport(deps: ImportDeps, actor: Actor, given: unknown): Promise<BulkJob> {
  return deps.database.withTenant(actor.tenantId, (tx) => createExportJob(tx, deps, actor, given));
}

/** The same for a step of a run: a repeated attempt with its key answers the job that the first one started. */
export async function startExportOnce(
  deps: ImportDeps,
  actor: Actor,
  { idempotencyKey, ...given }: { idempotencyKey: string; [member: string]: unknown },
): Promise<BulkJob> {
  const { tenantId } = actor;
  return deps.database.withTenant(tenantId, (tx) =>
    startOnce(tx, { tenantId, idempotencyKey }, () => createExportJob(tx, deps, actor, given, idempotencyKey)),
  );
}

/** The same in the transaction of something else. */
export async function createExportJob(
  tx: TenantTx,
  deps: ImportDeps,
  actor: Actor,
  given: unknown,
  idempotencyKey: string | null = null,
): Promise<BulkJob> {
  const { tenantId } = actor;
  const { target, kept, profileName } = await plannedExport(tx, deps, tenantId, given);
  const job = await tx.bulkJob.create({
    data: {
      tenantId,
      kind: 'export',
      target: target.name,
      profile: kept,
      profileName,
      dryRun: false,
      idempotencyKey,
      announcedAt: new Date(),
      requestId: actor.requestId ?? null,
      traceparent: actor.trace ? writeTraceparent(actor.trace) : null,
    },
  });
  const metadata = { export: target.name, format: kept.format, profile: profileName };
  await recordAudit(tx, actor, { resource: auditedBulkJob, action: 'start', resourceId: job.id, metadata });
  await deps.jobs.send(runBulkJobJob, { tenantId, bulkJobId: Number(job.id) }, { tx });
  return job;
}

interface PlannedExport {
  target: ExportTarget;
  kept: KeptExport;
  profileName: string | null;
}

/** Resolves the columns and rows of an export. Throws the errors of `startExport`. */
export async function plannedExport(
  tx: TenantTx,
  deps: ImportDeps,
  tenantId: string,
  given: unknown,
): Promise<PlannedExport> {
  const input = parseInput(startExportInput, given);
  const profile = input.profile == null ? null : await profileNamed(tx, tenantId, input.profile);
  const target = chooseTarget(deps, input.target, profile);
  const settings = profile ? toKeptProfile(profile) : plainProfile;
  const kept: KeptExport = { ...settings, format: input.format ?? settings.format, filter: input.filter ?? {} };
  layOut(target, kept);
  return { target, kept, profileName: profile?.name ?? null };
}

function chooseTarget(
  { exportTargets }: ImportDeps,
  given: string | null | undefined,
  profile: ImportProfile | null,
): ExportTarget {
  const name = given ?? profile?.target;
  if (name === undefined) throw new ValidationError({ target: ['Name what to export, or a profile.'] });
  if (profile && profile.target !== name)
    throw new ValidationError({
      target: [`The profile exports ${profile.target}. Leave out the target, or name the same.`],
    });
  const target = exportTargets.get(name);
  if (target) return target;
  throw new ValidationError({
    target: [`There is no such target. Use one of ${[...exportTargets.keys()].join(', ')}.`],
  });
}
