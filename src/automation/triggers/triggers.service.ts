import type { Trigger } from '#prisma/client.ts';
import { eventTriggersPerTenant } from '#src/automation/firings/firings.inputs.ts';
import { planPolls, refusePollsOver } from '#src/automation/polls/polls.service.ts';
import type { RunQueue } from '#src/automation/runs/run-queue.service.ts';
import { betweenTicks, planSchedules } from '#src/automation/schedules/schedules.service.ts';
import { auditedTrigger } from '#src/automation/workflows/workflows.declarations.ts';
import { lockWorkflow } from '#src/automation/workflows/workflows.service.ts';
import type { Deps, Actor } from '#src/infra/deps.ts';
import { NotFoundError, ValidationError } from '#src/infra/errors.ts';
import { parseInput } from '#src/infra/inputs.ts';
import type { TenantTx } from '#src/infra/postgres/database.ts';
import { lockNamed } from '#src/infra/postgres/named-locks.ts';
import type { TopicNames } from '#src/infra/topic-names.ts';
import { recordAudit } from '#src/journal/audit/audit.service.ts';
import { withMessage } from './expected-message.service.ts';
import { createTriggerInput, updateTriggerInput } from './triggers.inputs.ts';
import { readTriggerConfig, secretsNamedIn } from './triggers.rules.ts';

/** A trigger's id and, if given, the workflow that it must belong to. */
export interface TriggerKey {
  id: bigint;
  workflowId?: bigint;
}

/** Bounds the list of a workflow's triggers, which is read whole. */
export const triggersPerWorkflow = 100;

/** Bounds the list of a tenant's schedules, which is answered whole. */
export const schedulesPerTenant = 10_000;

export async function createTrigger(
  deps: Pick<Deps, 'database'> & RunQueue & TopicNames,
  actor: Actor,
  workflowId: bigint,
  given: unknown,
): Promise<Trigger> {
  const input = parseInput(createTriggerInput, given);
  const config = readTriggerConfig(input.type, input.config, deps);
  const { tenantId } = actor;
  return deps.database.withTenant(tenantId, async (tx) => {
    await lockWorkflow(tx, tenantId, workflowId);
    await requireSecrets(tx, tenantId, config);
    const stored = await withMessage(tx, config);
    if ((await tx.trigger.count({ where: { tenantId, workflowId } })) >= triggersPerWorkflow) {
      throw new ValidationError({ workflow_id: [`A workflow has at most ${triggersPerWorkflow} triggers.`] });
    }
    const { type, name } = input;
    const trigger = await tx.trigger.create({
      data: { tenantId, workflowId, type, name, config: stored, active: input.active ?? true },
    });
    if (type === 'schedule') {
      await planSchedules(deps, tx, { tenantId, triggerId: trigger.id });
      await refuseSchedulesOver(tx, tenantId);
    }
    if (type === 'poll') {
      await planPolls(tx, { tenantId, triggerId: trigger.id });
      await refusePollsOver(tx, tenantId);
    }
    await refuseEventTriggersOver(tx, trigger);
    const metadata = { workflow_id: Number(workflowId), type, name };
    await recordAudit(tx, actor, { resource: auditedTrigger, action: 'create', resourceId: trigger.id, metadata });
    return trigger;
  });
}

/** Changes the given fields. The handle stays; the config, old or new, must fit the type. */
export async function updateTrigger(
  deps: Pick<Deps, 'database' | 'log'> & RunQueue & TopicNames,
  actor: Actor,
  key: TriggerKey,
  given: unknown,
): Promise<Trigger> {
  const input = parseInput(updateTriggerInput, given);
  const { tenantId } = actor;
  return betweenTicks(deps, { tenantId, triggerId: key.id }, async (tx) => {
    const trigger = await lockTrigger(tx, tenantId, key);
    const changesConfig = input.type != null || input.config != null;
    const data = {
      ...(input.type != null && { type: input.type }),
      ...(input.name != null && { name: input.name }),
      ...(input.active != null && { active: input.active }),
      ...(changesConfig && {
        config: readTriggerConfig(
          input.type ?? trigger.type,
          input.config ?? trigger.config,
          input.config == null ? {} : deps,
        ),
      }),
    };
    if (Object.keys(data).length === 0) return trigger;
    if (data.config) {
      await requireSecrets(tx, tenantId, data.config);
      data.config = await withMessage(tx, data.config);
    }
    const updated = await tx.trigger.update({ where: { tenantId_id: { tenantId, id: key.id } }, data });
    if (trigger.type === 'schedule' || updated.type === 'schedule') {
      await planSchedules(deps, tx, { tenantId, triggerId: key.id });
    }
    if (trigger.type !== 'schedule' && updated.type === 'schedule') await refuseSchedulesOver(tx, tenantId);
    if (trigger.type === 'poll' || updated.type === 'poll')
      await planPolls(tx, { tenantId, triggerId: key.id }, trigger.config);
    if (trigger.type !== 'poll' && updated.type === 'poll') await refusePollsOver(tx, tenantId);
    if (trigger.type !== 'event' || !trigger.active) await refuseEventTriggersOver(tx, updated);
    const metadata = { workflow_id: Number(trigger.workflowId), changed: Object.keys(data) };
    await recordAudit(tx, actor, { resource: auditedTrigger, action: 'update', resourceId: key.id, metadata });
    return updated;
  });
}

export async function deleteTrigger(
  deps: Pick<Deps, 'database' | 'log'> & RunQueue,
  actor: Actor,
  key: TriggerKey,
): Promise<void> {
  const { tenantId } = actor;
  await betweenTicks(deps, { tenantId, triggerId: key.id }, async (tx) => {
    const { id, workflowId, name } = await lockTrigger(tx, tenantId, key);
    await tx.trigger.delete({ where: { tenantId_id: { tenantId, id } } });
    const metadata = { workflow_id: Number(workflowId), name };
    await recordAudit(tx, actor, { resource: auditedTrigger, action: 'delete', resourceId: id, metadata });
  });
}

/** Throws when a schedule that was just made puts the tenant over its limit. Holds a lock, so that concurrent calls cannot exceed it. */
async function refuseSchedulesOver(tx: TenantTx, tenantId: string): Promise<void> {
  await lockNamed(tx, `schedules/${tenantId}`);
  if ((await tx.schedule.count({ where: { tenantId } })) <= schedulesPerTenant) return;
  throw new ValidationError({ type: [`A tenant has at most ${schedulesPerTenant} schedule triggers.`] });
}

/** Throws when a trigger that was just activated for events puts the tenant over its limit. */
async function refuseEventTriggersOver(tx: TenantTx, { tenantId, type, active }: Trigger): Promise<void> {
  if (type !== 'event' || !active) return;
  if ((await tx.trigger.count({ where: { tenantId, type, active } })) <= eventTriggersPerTenant) return;
  throw new ValidationError({ type: [`A tenant has at most ${eventTriggersPerTenant} active event triggers.`] });
}

/** Throws unless the tenant has the secrets that a config names. */
async function requireSecrets(tx: TenantTx, tenantId: string, config: object): Promise<void> {
  const keys = secretsNamedIn(config);
  if (keys.length === 0) return;
  const found = await tx.tenantSecret.findMany({ where: { tenantId, key: { in: keys } }, select: { key: true } });
  const missing = keys.filter((key) => !found.some((secret) => secret.key === key));
  if (missing.length === 0) return;
  throw new ValidationError({
    'config.verify.secret_ref': missing.map((key) => `The tenant has no secret ${key}; set it first.`),
  });
}

/** Finds a trigger of the tenant and locks it until the transaction ends. */
async function lockTrigger(tx: TenantTx, tenantId: string, { id, workflowId }: TriggerKey): Promise<Trigger> {
  await tx.$queryRaw`SELECT 1 FROM triggers WHERE tenant_id = ${tenantId} AND id = ${id} FOR UPDATE`;
  const trigger = await tx.trigger.findFirst({ where: { tenantId, id } });
  if (!trigger || (workflowId !== undefined && trigger.workflowId !== workflowId)) throw new NotFoundError();
  return trigger;
}
