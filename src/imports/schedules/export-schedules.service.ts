import type { Transfer } from '#prisma/client.ts';
import { plannedExport } from '#src/imports/exports/export-start.service.ts';
import type { ImportDeps } from '#src/imports/targets/import-deps.ts';
import { fileNameFault } from '#src/imports/transfers/export-file-name.rules.ts';
import type { Actor } from '#src/infra/deps.ts';
import { ValidationError } from '#src/infra/errors.ts';
import { parseInput } from '#src/infra/inputs.ts';
import { createExportScheduleInput, updateExportScheduleInput } from './export-schedules.inputs.ts';
import { addSchedule, assertTimes, changeSchedule, readAccountId } from './schedules.service.ts';

/** Makes a schedule. ValidationError for an unknown account, an export that is not possible, and times that never come. */
export async function createExportSchedule(deps: ImportDeps, actor: Actor, given: unknown): Promise<Transfer> {
  const { accountId, profile, target, format, filter, filename, cron, ...input } = parseInput(
    createExportScheduleInput,
    given,
  );
  const times = { cron, timezone: input.timezone ?? 'UTC', active: input.active ?? true };
  assertSettings({ ...times, filename });
  const { tenantId } = actor;
  return addSchedule(deps, actor, 'export', async (tx) => {
    await plannedExport(tx, deps, tenantId, { profile, target, format, filter });
    return {
      accountId: await readAccountId(tx, tenantId, accountId),
      profile: profile ?? null,
      target: target ?? null,
      format: format ?? null,
      filter: filter ?? {},
      path: input.path ?? '.',
      filename,
      ...times,
    };
  });
}

const clearable = new Set(['profile', 'target', 'format', 'filter']);

/** Changes the given fields and leaves the rest. */
export async function updateExportSchedule(
  deps: ImportDeps,
  actor: Actor,
  id: bigint,
  given: unknown,
): Promise<Transfer> {
  const { accountId, ...input } = parseInput(updateExportScheduleInput, given);
  const { tenantId } = actor;
  const kept = Object.entries(input).filter(([field, value]) => value !== null || clearable.has(field));
  return changeSchedule(
    deps,
    actor,
    { direction: 'export', id },
    async (tx) => ({
      ...Object.fromEntries(kept),
      ...(input.filter === null && { filter: {} }),
      ...(accountId != null && { accountId: await readAccountId(tx, tenantId, accountId) }),
    }),
    async (tx, after) => {
      assertSettings({ ...after, filename: after.filename ?? '' });
      const { profile, target, format, filter } = after;
      await plannedExport(tx, deps, tenantId, { profile, target, format, filter });
    },
  );
}

function assertSettings({ filename, ...times }: { cron: string; timezone: string; filename: string }): void {
  assertTimes(times);
  const fault = fileNameFault(filename);
  if (fault !== undefined) throw new ValidationError({ filename: [fault] });
}
