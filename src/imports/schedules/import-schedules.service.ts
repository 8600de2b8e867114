import type { Transfer } from '#prisma/client.ts';
import { profileNamed } from '#src/imports/bulk-jobs/bulk-jobs.service.ts';
import type { ImportDeps } from '#src/imports/targets/import-deps.ts';
import { movesIntoItself } from '#src/imports/transfers/remote-paths.rules.ts';
import { forgetFailed } from '#src/imports/transfers/transfer-files.store.ts';
import type { Actor } from '#src/infra/deps.ts';
import { ValidationError } from '#src/infra/errors.ts';
import { parseInput } from '#src/infra/inputs.ts';
import type { TenantTx } from '#src/infra/postgres/database.ts';
import { createImportScheduleInput, updateImportScheduleInput } from './import-schedules.inputs.ts';
import {
  addSchedule,
  assertTimes,
  changeSchedule,
  readAccountId,
  readSourceId,
  runSchedule,
} from './schedules.service.ts';

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

/** Makes a schedule. ValidationError for an unknown account, source or profile, and for times that never come. */
export async function createImportSchedule(deps: ImportDeps, actor: Actor, given: unknown): Promise<Transfer> {
  const { accountId, sourceId, profile, cron, ...input } = parseInput(createImportScheduleInput, given);
  const settings = { ...defaults, ...withoutNulls(input), profile, cron };
  assertSettings(settings);
  const { tenantId } = actor;
  return addSchedule(deps, actor, 'import', async (tx) => {
    const place = await readPlace(tx, tenantId, { accountId, sourceId });
    if (!place) throw new ValidationError({ accountId: ['Name an SFTP account, or an HTTP source as sourceId.'] });
    await profileNamed(tx, tenantId, profile);
    return { ...settings, ...place };
  });
}

/** Changes the given fields and leaves the rest; files that were fetched stay known. */
export async function updateImportSchedule(
  deps: ImportDeps,
  actor: Actor,
  id: bigint,
  given: unknown,
): Promise<Transfer> {
  const { accountId, sourceId, ...input } = parseInput(updateImportScheduleInput, given);
  const { tenantId } = actor;
  return changeSchedule(
    deps,
    actor,
    { direction: 'import', id },
    async (tx) => ({ ...withoutNulls(input), ...(await readPlace(tx, tenantId, { accountId, sourceId })) }),
    async (tx, after, before) => {
      assertSettings(after);
      if (after.profile !== before.profile) await profileNamed(tx, tenantId, after.profile ?? '');
    },
  );
}

/** Looks for files now, also for those whose import failed: the caller has repaired the cause. By the clock, they would fail each time. */
export const runImportSchedule = (deps: ImportDeps, actor: Actor, id: bigint): Promise<Transfer> =>
  runSchedule(deps, actor, { direction: 'import', id }, (tx) =>
    forgetFailed(tx, { tenantId: actor.tenantId, id: Number(id) }),
  );

function assertSettings(settings: { cron: string; timezone: string; path: string; movedTo: string }): void {
  assertTimes(settings);
  if (movesIntoItself(settings))
    throw new ValidationError({ movedTo: ['Name a directory other than that of the files.'] });
}

/** Where files are fetched from; undefined if nothing is given. */
async function readPlace(
  tx: TenantTx,
  tenantId: string,
  { accountId, sourceId }: { accountId?: string | null | undefined; sourceId?: string | null | undefined },
): Promise<Pick<Transfer, 'accountId' | 'sourceId'> | undefined> {
  if (accountId != null && sourceId != null)
    throw new ValidationError({ sourceId: ['Name an account or a source, not both.'] });
  if (accountId != null) return { accountId: await readAccountId(tx, tenantId, accountId), sourceId: null };
  if (sourceId != null) return { accountId: null, sourceId: await readSourceId(tx, tenantId, sourceId) };
  return undefined;
}

const withoutNulls = <T extends object>(input: T): { [K in keyof T]?: NonNullable<T[K]> } =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value != null)) as never;
