import type { Transfer } from '#prisma/client.ts';
import { cronFaults } from '#src/infra/cron/cron-faults.ts';
import type { Deps } from '#src/infra/deps.ts';
import { AppError, NotFoundError, ValidationError } from '#src/infra/errors.ts';
import { readId } from '#src/infra/inputs.ts';
import type { TenantTx } from '#src/infra/postgres/database.ts';
import { lockNamed } from '#src/infra/postgres/named-locks.ts';
import { nextTime } from './due-transfers.service.ts';
import { runTransferJob } from './transfers.declarations.ts';
import { type Direction, transfersPerTenant } from './transfers.inputs.ts';
import { lockRow, markRequested, type TransferKey } from './transfers.store.ts';

/** Finds a transfer of one direction and locks it until the transaction ends. */
export async function lockTransfer(
  tx: TenantTx,
  tenantId: string,
  id: bigint,
  direction: Direction,
): Promise<Transfer> {
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

/** The next time of a schedule by the database's clock; null where it is not active. */
export async function plannedTime(
  tx: TenantTx,
  { cron, timezone, active }: { cron: string; timezone: string; active: boolean },
): Promise<Date | null> {
  if (!active) return null;
  const { rows } = await tx.query<{ now: Date }>('SELECT now()');
  return nextTime(cron, timezone, rows[0]?.now ?? new Date());
}

/** Requests a run now, whether or not the schedule is active. */
export async function requestRun(tx: TenantTx, { jobs }: Pick<Deps, 'jobs'>, key: TransferKey): Promise<Transfer> {
  const { tenantId, id } = key;
  await markRequested(tx, key);
  await jobs.send(runTransferJob, { tenantId, transferId: Number(id) }, { tx });
  return tx.transfer.findUniqueOrThrow({ where: { tenantId_id: key } });
}

/** Serialises creations of one tenant, so that the limit is exact. */
export async function requirePlace(tx: TenantTx, tenantId: string): Promise<void> {
  await lockNamed(tx, `transfer-places/${tenantId}`);
  if ((await tx.transfer.count({ where: { tenantId } })) < transfersPerTenant) return;
  throw new AppError(
    'UNPROCESSABLE',
    `A tenant has at most ${transfersPerTenant} import and export schedules; delete one.`,
  );
}

/** The id of an account in an input. Throws a ValidationError for one that the tenant does not have. */
export async function accountIdOf(tx: TenantTx, tenantId: string, given: string): Promise<bigint> {
  const id = idIn('SftpAccount', given);
  const found = id !== undefined && (await tx.sftpAccount.count({ where: { tenantId, id } }));
  if (id !== undefined && found) return id;
  throw new ValidationError({ accountId: ['There is no such account. Make one with createSftpAccount.'] });
}

/** The same for a source. */
export async function sourceIdOf(tx: TenantTx, tenantId: string, given: string): Promise<bigint> {
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
