import type { Transfer } from '#prisma/client.ts';
import { plannedExport } from '#src/imports/exports/export-start.service.ts';
import type { ImportDeps } from '#src/imports/targets/import-deps.ts';
import { fileNameFault } from '#src/imports/transfers/export-file-name.rules.ts';
import {
  accountIdOf,
  assertTimes,
  lockTransfer,
  plannedTime,
  requestRun,
  requirePlace,
} from '#src/imports/transfers/schedules.service.ts';
import type { Actor } from '#src/infra/deps.ts';
import { ValidationError } from '#src/infra/errors.ts';
import { parseInput } from '#src/infra/inputs.ts';
import { sameJson } from '#src/infra/json.ts';
import { recordAudit } from '#src/journal/audit/audit.service.ts';
import { auditedExportSchedule } from './export-schedules.declarations.ts';
import { createExportScheduleInput, updateExportScheduleInput } from './export-schedules.inputs.ts';

/** Makes a schedule. ValidationError for an account that is not there, for what cannot be exported and for times that never come. */
export async function createExportSchedule(deps: ImportDeps, actor: Actor, given: unknown): Promise<Transfer> {
  const { accountId, profile, target, format, filter, filename, cron, ...input } = parseInput(
    createExportScheduleInput,
    given,
  );
  const times = { cron, timezone: input.timezone ?? 'UTC', active: input.active ?? true };
  assertSettings({ ...times, filename });
  const { tenantId } = actor;
  return deps.database.withTenant(tenantId, async (tx) => {
    await requirePlace(tx, tenantId);
    await plannedExport(tx, deps, tenantId, { profile, target, format, filter });
    const schedule = await tx.transfer.create({
      data: {
        tenantId,
        direction: 'export',
        accountId: await accountIdOf(tx, tenantId, accountId),
        profile: profile ?? null,
        target: target ?? null,
        format: format ?? null,
        filter: filter ?? {},
        path: input.path ?? '.',
        filename,
        ...times,
        nextAt: await plannedTime(tx, times),
      },
    });
    const { id: resourceId } = schedule;
    const metadata = { profile: schedule.profile, target: schedule.target, filename, cron };
    await recordAudit(tx, actor, { resource: auditedExportSchedule, action: 'create', resourceId, metadata });
    return schedule;
  });
}

const clearable = new Set(['profile', 'target', 'format', 'filter']);

/** Changes what is given and leaves the rest. */
export async function updateExportSchedule(
  deps: ImportDeps,
  actor: Actor,
  id: bigint,
  given: unknown,
): Promise<Transfer> {
  const { accountId, ...input } = parseInput(updateExportScheduleInput, given);
  const { tenantId } = actor;
  return deps.database.withTenant(tenantId, async (tx) => {
    const before = await lockTransfer(tx, tenantId, id, 'export');
    const wanted = {
      ...input,
      ...(input.filter === null && { filter: {} }),
      ...(accountId != null && { accountId: await accountIdOf(tx, tenantId, accountId) }),
    };
    const changes = Object.fromEntries(
      Object.entries(wanted).filter(
        ([field, value]) =>
          value !== undefined &&
          (value !== null || clearable.has(field)) &&
          value !== before[field as keyof Transfer] &&
          !(field === 'filter' && sameJson(value, before.filter)),
      ),
    );
    if (Object.keys(changes).length === 0) return before;
    const after: Transfer = { ...before, ...changes };
    assertSettings({ ...after, filename: after.filename ?? '' });
    const { profile, target, format, filter } = after;
    await plannedExport(tx, deps, tenantId, { profile, target, format, filter });
    const schedule = await tx.transfer.update({
      where: { tenantId_id: { tenantId, id } },
      data: { ...changes, nextAt: await plannedTime(tx, after) },
    });
    const metadata = { changed: Object.keys(changes) };
    await recordAudit(tx, actor, { resource: auditedExportSchedule, action: 'update', resourceId: id, metadata });
    return schedule;
  });
}

/** Deletes a schedule. An export that it started goes on, and its file is put nowhere. */
export async function deleteExportSchedule({ database }: ImportDeps, actor: Actor, id: bigint): Promise<void> {
  const { tenantId } = actor;
  await database.withTenant(tenantId, async (tx) => {
    await lockTransfer(tx, tenantId, id, 'export');
    await tx.transfer.delete({ where: { tenantId_id: { tenantId, id } } });
    await recordAudit(tx, actor, { resource: auditedExportSchedule, action: 'delete', resourceId: id });
  });
}

/** Exports and puts now; `lastRunAt` and `lastError` tell what came of it. */
export async function runExportSchedule(deps: ImportDeps, actor: Actor, id: bigint): Promise<Transfer> {
  const { tenantId } = actor;
  return deps.database.withTenant(tenantId, async (tx) => {
    await lockTransfer(tx, tenantId, id, 'export');
    const schedule = await requestRun(tx, deps, { tenantId, id });
    await recordAudit(tx, actor, { resource: auditedExportSchedule, action: 'run', resourceId: id });
    return schedule;
  });
}

function assertSettings({ filename, ...times }: { cron: string; timezone: string; filename: string }): void {
  assertTimes(times);
  const fault = fileNameFault(filename);
  if (fault !== undefined) throw new ValidationError({ filename: [fault] });
}
