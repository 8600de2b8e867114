import type { Prisma, Transfer } from '#prisma/client.ts';
import type { ImportDeps } from '#src/imports/targets/import-deps.ts';
import { nextTime } from '#src/imports/transfers/due-transfers.service.ts';
import { runTransferJob } from '#src/imports/transfers/transfers.declarations.ts';
import { type Direction, transfersPerTenant } from '#src/imports/transfers/transfers.inputs.ts';
import { lockRow, markRequested } from '#src/imports/transfers/transfers.store.ts';
import { cronFaults } from '#src/infra/cron/cron-faults.ts';
import type { Actor } from '#src/infra/deps.ts';
import { AppError, NotFoundError, ValidationError } from '#src/infra/errors.ts';
import { readId } from '#src/infra/inputs.ts';
import { sameJson } from '#src/infra/json.ts';
import type { TenantTx } from '#src/infra/postgres/database.ts';
import { lockNamed } from '#src/infra/postgres/named-locks.ts';
import { recordAudit } from '#src/journal/audit/audit.service.ts';
import { auditedExportSchedule, auditedImportSchedule } from './schedules.declarations.ts';

interface Times {
  cron: string;
  timezone: string;
  active: boolean;
}

const audited = { import: auditedImportSchedule, export: auditedExportSchedule };

/** Adds a schedule with the settings that `settle` returns, which may read the tenant's rows. */
export async function addSchedule<Settings extends Times>(
  { database }: ImportDeps,
  actor: Actor,
  direction: Direction,
  settle: (tx: TenantTx) => Promise<Settings & Omit<Prisma.TransferUncheckedCreateInput, 'tenantId' | 'direction'>>,
): Promise<Transfer> {
  const { tenantId } = actor;
  return database.withTenant(tenantId, async (tx) => {
    await requireCapacity(tx, tenantId);
    const settings = await settle(tx);
    const nextAt = await plannedTime(tx, settings);
    const schedule = await tx.transfer.create({ data: { ...settings, tenantId, direction, nextAt } });
    const { id: resourceId, profile, target, filename, cron } = schedule;
    const metadata = direction === 'export' ? { profile, target, filename, cron } : { profile, cron };
    await recordAudit(tx, actor, { resource: audited[direction], action: 'create', resourceId, metadata });
    return schedule;
  });
}

/** Changes the fields that `settle` returns, as far as they differ. `check` throws for settings that do not go together. */
export async function changeSchedule(
  { database }: ImportDeps,
  actor: Actor,
  { direction, id }: ScheduleKey,
  settle: (tx: TenantTx) => Promise<Partial<Record<keyof Transfer, unknown>>>,
  check: (tx: TenantTx, after: Transfer, before: Transfer) => Promise<void>,
): Promise<Transfer> {
  const { tenantId } = actor;
  return database.withTenant(tenantId, async (tx) => {
    const before = await lockSchedule(tx, tenantId, { direction, id });
    const isChanged = ([field, value]: [string, unknown]): boolean => {
      const stored = before[field as keyof Transfer];
      return value !== undefined && value !== stored && !(typeof value === 'object' && sameJson(value, stored));
    };
    const changes = Object.fromEntries(Object.entries(await settle(tx)).filter(isChanged));
    if (Object.keys(changes).length === 0) return before;
    const after: Transfer = { ...before, ...changes };
    await check(tx, after, before);
    const schedule = await tx.transfer.update({
      where: { tenantId_id: { tenantId, id } },
      data: { ...changes, nextAt: await plannedTime(tx, after) },
    });
    const metadata = { changed: Object.keys(changes) };
    await recordAudit(tx, actor, { resource: audited[direction], action: 'update', resourceId: id, metadata });
    return schedule;
  });
}

/** Deletes a schedule with what it knows of fetched files. Jobs that it started continue; files that they export are not put. */
export async function deleteSchedule({ database }: ImportDeps, actor: Actor, key: ScheduleKey): Promise<void> {
  const { tenantId } = actor;
  const { direction, id } = key;
  await database.withTenant(tenantId, async (tx) => {
    await lockSchedule(tx, tenantId, key);
    await tx.transfer.delete({ where: { tenantId_id: { tenantId, id } } });
    await recordAudit(tx, actor, { resource: audited[direction], action: 'delete', resourceId: id });
  });
}

/** Requests a run now, whether or not the schedule is active. `lastRunAt` and `lastError` tell its result. */
export async function runSchedule(
  { database, jobs }: ImportDeps,
  actor: Actor,
  key: ScheduleKey,
  prepare?: (tx: TenantTx) => Promise<void>,
): Promise<Transfer> {
  const { tenantId } = actor;
  const { direction, id } = key;
  return database.withTenant(tenantId, async (tx) => {
    await lockSchedule(tx, tenantId, key);
    await prepare?.(tx);
    await markRequested(tx, { tenantId, id });
    await jobs.send(runTransferJob, { tenantId, transferId: Number(id) }, { tx });
    await recordAudit(tx, actor, { resource: audited[direction], action: 'run', resourceId: id });
    return tx.transfer.findUniqueOrThrow({ where: { tenantId_id: { tenantId, id } } });
  });
}

export interface ScheduleKey {
  direction: Direction;
  id: bigint;
}

/** Finds a schedule and locks it until the transaction ends. */
async function lockSchedule(tx: TenantTx, tenantId: string, { direction, id }: ScheduleKey): Promise<Transfer> {
  await lockRow(tx, { tenantId, id });
  const transfer = await tx.transfer.findUnique({ where: { tenantId_id: { tenantId, id }, direction } });
  if (!transfer) throw new NotFoundError();
  return transfer;
}

/** Throws a ValidationError for a cron expression or a time zone that is not valid. */
export function assertTimes(times: { cron: string; timezone: string }): void {
  const faults = cronFaults(times);
  if (Object.keys(faults).length > 0) throw new ValidationError(faults);
}

/** The next time of a schedule by the database's clock; null if it is not active. */
async function plannedTime(tx: TenantTx, { cron, timezone, active }: Times): Promise<Date | null> {
  if (!active) return null;
  const { rows } = await tx.query<{ now: Date }>('SELECT now()');
  return nextTime(cron, timezone, rows[0]?.now ?? new Date());
}

/** Serialises creations of one tenant, so that the limit is exact. */
async function requireCapacity(tx: TenantTx, tenantId: string): Promise<void> {
  await lockNamed(tx, `transfer-places/${tenantId}`);
  if ((await tx.transfer.count({ where: { tenantId } })) < transfersPerTenant) return;
  throw new AppError(
    'UNPROCESSABLE',
    `A tenant has at most ${transfersPerTenant} import and export schedules; delete one.`,
  );
}

/** The id of an account in an input. Throws a ValidationError for one that the tenant does not have. */
export async function readAccountId(tx: TenantTx, tenantId: string, given: string): Promise<bigint> {
  const id = idIn('SftpAccount', given);
  const found = id !== undefined && (await tx.sftpAccount.count({ where: { tenantId, id } }));
  if (id !== undefined && found) return id;
  throw new ValidationError({ accountId: ['There is no such account. Make one with createSftpAccount.'] });
}

/** The same for a source. */
export async function readSourceId(tx: TenantTx, tenantId: string, given: string): Promise<bigint> {
  const id = idIn('HttpSource', given);
  const found = id !== undefined && (await tx.httpSource.count({ where: { tenantId, id } }));
  if (id !== undefined && found) return id;
  throw new ValidationError({ sourceId: ['There is no such source. Make one with createHttpSource.'] });
}

function idIn(type: string, given: string): bigint | undefined {
  try {
    return readId(type, given);
  } catch {
    return undefined;
  }
}
