import type { Transfer } from '#prisma/client.ts';
import { profileNamed } from '#src/imports/bulk-jobs/bulk-jobs.service.ts';
import type { ImportDeps } from '#src/imports/targets/import-deps.ts';
import { movesIntoItself } from '#src/imports/transfers/remote-paths.rules.ts';
import {
  accountIdOf,
  assertTimes,
  lockTransfer,
  plannedTime,
  requestRun,
  requirePlace,
  sourceIdOf,
} from '#src/imports/transfers/schedules.service.ts';
import { forgetFailed } from '#src/imports/transfers/transfer-files.store.ts';
import type { Actor } from '#src/infra/deps.ts';
import { ValidationError } from '#src/infra/errors.ts';
import { parseInput } from '#src/infra/inputs.ts';
import type { TenantTx } from '#src/infra/postgres/database.ts';
import { recordAudit } from '#src/journal/audit/audit.service.ts';
import { auditedImportSchedule } from './import-schedules.declarations.ts';
import { createImportScheduleInput, updateImportScheduleInput } from './import-schedules.inputs.ts';

/** The defaults of a schedule. */
const defaults = {
  path: '.',
  pattern: '*',
  timezone: 'UTC',
  movedTo: 'processed',
  afterwards: 'move',
  maxFiles: 100,
  active: true,
};

/** Makes a schedule. ValidationError for an account, source or profile that is not there, and for times that never come. */
export async function createImportSchedule({ database }: ImportDeps, actor: Actor, given: unknown): Promise<Transfer> {
  const { accountId, sourceId, profile, cron, ...input } = parseInput(createImportScheduleInput, given);
  const settings = { ...defaults, ...withoutNulls(input), profile, cron };
  assertSettings(settings);
  const { tenantId } = actor;
  return database.withTenant(tenantId, async (tx) => {
    await requirePlace(tx, tenantId);
    const place = await placeOf(tx, tenantId, { accountId, sourceId });
    if (!place) throw new ValidationError({ accountId: ['Name an SFTP account, or an HTTP source as sourceId.'] });
    await profileNamed(tx, tenantId, profile);
    const schedule = await tx.transfer.create({
      data: { tenantId, direction: 'import', ...settings, ...place, nextAt: await plannedTime(tx, settings) },
    });
    const { id: resourceId } = schedule;
    const metadata = { profile, cron };
    await recordAudit(tx, actor, { resource: auditedImportSchedule, action: 'create', resourceId, metadata });
    return schedule;
  });
}

/** Changes what is given and leaves the rest; files that were fetched stay known. */
export async function updateImportSchedule(
  { database }: ImportDeps,
  actor: Actor,
  id: bigint,
  given: unknown,
): Promise<Transfer> {
  const { accountId, sourceId, ...input } = parseInput(updateImportScheduleInput, given);
  const { tenantId } = actor;
  return database.withTenant(tenantId, async (tx) => {
    const before = await lockTransfer(tx, tenantId, id, 'import');
    const wanted = { ...withoutNulls(input), ...(await placeOf(tx, tenantId, { accountId, sourceId })) };
    const changes = Object.fromEntries(
      Object.entries(wanted).filter(([field, value]) => value !== before[field as keyof Transfer]),
    );
    if (Object.keys(changes).length === 0) return before;
    const after: Transfer = { ...before, ...changes };
    assertSettings(after);
    if (after.profile !== before.profile) await profileNamed(tx, tenantId, after.profile ?? '');
    const schedule = await tx.transfer.update({
      where: { tenantId_id: { tenantId, id } },
      data: { ...changes, nextAt: await plannedTime(tx, after) },
    });
    const metadata = { changed: Object.keys(changes) };
    await recordAudit(tx, actor, { resource: auditedImportSchedule, action: 'update', resourceId: id, metadata });
    return schedule;
  });
}

/** Deletes a schedule with what it knows of fetched files. Jobs that it started go on. */
export async function deleteImportSchedule({ database }: ImportDeps, actor: Actor, id: bigint): Promise<void> {
  const { tenantId } = actor;
  await database.withTenant(tenantId, async (tx) => {
    await lockTransfer(tx, tenantId, id, 'import');
    await tx.transfer.delete({ where: { tenantId_id: { tenantId, id } } });
    await recordAudit(tx, actor, { resource: auditedImportSchedule, action: 'delete', resourceId: id });
  });
}

/**
 * Looks for files now, also for those whose import failed: who asks has changed what was wrong. By the clock, they would fail each time.
 * `lastRunAt` and `lastError` tell what came of it.
 */
export async function runImportSchedule(deps: ImportDeps, actor: Actor, id: bigint): Promise<Transfer> {
  const { tenantId } = actor;
  return deps.database.withTenant(tenantId, async (tx) => {
    await lockTransfer(tx, tenantId, id, 'import');
    await forgetFailed(tx, { tenantId, id: Number(id) });
    const schedule = await requestRun(tx, deps, { tenantId, id });
    await recordAudit(tx, actor, { resource: auditedImportSchedule, action: 'run', resourceId: id });
    return schedule;
  });
}

function assertSettings(settings: { cron: string; timezone: string; path: string; movedTo: string }): void {
  assertTimes(settings);
  if (movesIntoItself(settings))
    throw new ValidationError({ movedTo: ['Name a directory other than that of the files.'] });
}

/** Where files are fetched from; undefined where nothing is given. */
async function placeOf(
  tx: TenantTx,
  tenantId: string,
  { accountId, sourceId }: { accountId?: string | null | undefined; sourceId?: string | null | undefined },
): Promise<Pick<Transfer, 'accountId' | 'sourceId'> | undefined> {
  if (accountId != null && sourceId != null)
    throw new ValidationError({ sourceId: ['Name an account or a source, not both.'] });
  if (accountId != null) return { accountId: await accountIdOf(tx, tenantId, accountId), sourceId: null };
  if (sourceId != null) return { accountId: null, sourceId: await sourceIdOf(tx, tenantId, sourceId) };
  return undefined;
}

const withoutNulls = <T extends object>(input: T): { [K in keyof T]?: NonNullable<T[K]> } =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value != null)) as never;
