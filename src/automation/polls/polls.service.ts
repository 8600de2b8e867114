import { ValidationError } from '#src/infra/errors.ts';
import { sameJson } from '#src/infra/json.ts';
import type { TenantTx } from '#src/infra/postgres/database.ts';
import { lockNamed } from '#src/infra/postgres/named-locks.ts';
import { nextTime } from './due-polls.service.ts';
import { startPosition } from './poll-faults.rules.ts';
import { type PollConfig, pollConfig } from './polls.inputs.ts';
import { seizePoll } from './polls.store.ts';

/** The limit bounds the number of polls that workers look through each second. */
const pollsPerTenant = 1_000;

type PollsKey = { tenantId: string } & ({ triggerId: bigint } | { workflowId: bigint });

/**
 * Updates polls after a change of their triggers or workflows, in the transaction of the change: creates, updates and deletes rows, and plans
 * the next poll. `before` is the earlier config of a trigger whose config has changed. Its sweep begins again, and its watermark goes back to
 * the start if the new config gives it another meaning.
 */
export async function planPolls(tx: TenantTx, key: PollsKey, before?: unknown): Promise<void> {
  const { tenantId } = key;
  const where = { tenantId, ...('triggerId' in key ? { id: key.triggerId } : { workflowId: key.workflowId }) };
  const triggers = await tx.trigger.findMany({
    where,
    include: { poll: true, workflow: { select: { active: true } } },
    orderBy: { id: 'asc' },
  });
  const now = new Date();
  for (const trigger of triggers) {
    const { id: triggerId, workflowId, poll } = trigger;
    const place = { tenantId_triggerId: { tenantId, triggerId } };
    if (trigger.type !== 'poll') {
      if (poll) await tx.poll.delete({ where: place });
      continue;
    }
    const config = pollConfig.parse(trigger.config);
    const active = trigger.active && trigger.workflow.active;
    const earlier = before === undefined || !poll ? undefined : pollConfig.safeParse(before).data;
    const isChanged = earlier !== undefined && !sameJson(earlier, config);
    if (poll && poll.active === active && !isChanged) continue;
    if (poll) await seizePoll(tx, { tenantId, triggerId, restarts: isChanged });
    const isNew = !poll || (earlier !== undefined && !meansTheSame(earlier, config));
    const data = {
      active,
      nextAt: active ? firstTime(config, now) : null,
      ...(!active && { requestedAt: null }),
      ...(isNew && { watermark: startPosition(config.watermark) }),
    };
    await tx.poll.upsert({ where: place, create: { tenantId, triggerId, workflowId, ...data }, update: data });
  }
}

/** A poll by interval begins immediately. */
const firstTime = (config: PollConfig, now: Date): Date | null =>
  config.interval_seconds == null ? nextTime(config, now) : now;

const meansTheSame = (a: PollConfig, b: PollConfig): boolean =>
  a.node.slug === b.node.slug &&
  a.watermark.by === b.watermark.by &&
  sameJson(a.watermark.field ?? null, b.watermark.field ?? null) &&
  a.watermark.start === b.watermark.start;

/** Throws if the tenant has more polls than its limit. Takes a lock, so that concurrent calls cannot exceed the limit. */
export async function refusePollsOver(tx: TenantTx, tenantId: string): Promise<void> {
  await lockNamed(tx, `poll-places/${tenantId}`);
  if ((await tx.poll.count({ where: { tenantId } })) <= pollsPerTenant) return;
  throw new ValidationError({ type: [`A tenant has at most ${pollsPerTenant} poll triggers.`] });
}
