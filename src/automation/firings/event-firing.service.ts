import type { RunQueue } from '#src/automation/runs/run-queue.service.ts';
import { type Deps, systemActor } from '#src/infra/deps.ts';
import { AppError } from '#src/infra/errors.ts';
import type { SystemTx } from '#src/infra/postgres/database.ts';
import { readCause } from '#src/infra/tracing/cause.ts';
import type { EventKind, OutboxConsumer, OutboxEvent } from '#src/journal/outbox/outbox.ts';
import { boundChains, type ChainLimits, chainLimits } from './chain-limits.service.ts';
import { type EventEnvelope, toEnvelope, passesFilter, type Verdict } from './event-filter.service.ts';
import { findEventTriggers, type WaitingTrigger } from './event-firing.store.ts';
import { accept, type Firing } from './firings.service.ts';

// A transaction with more firings would hold its locks too long; the rest goes into the next one.
const firingsPerBatch = 500;
// Filters are evaluated in the worker that also runs workflows, so their time is limited per tenant and per batch.
const tenantFilterMs = 2_000;
const batchFilterMs = 5_000;

// The messages of unexpected errors do not help a tenant, and could reveal too much.
const internalFault = 'The event could not be handled; the log tells why, under its id.';
const tooSlow = "The filters of this tenant's event triggers take too long together; make them simpler.";

/**
 * Fires the event triggers of each event's tenant; a run is started once for each event and trigger. An event that cannot be
 * handled becomes a dead letter of each trigger that it should have fired.
 */
export const eventTriggers = (
  deps: Pick<Deps, 'log'> & RunQueue,
  limits: ChainLimits = chainLimits,
): OutboxConsumer => ({
  name: 'event-triggers',
  async wanted(client, kinds) {
    const waiting = await findWaiting(client, kinds);
    return kinds.filter((_, position) => waiting.has(position));
  },
  async handle(client, events) {
    const { firings, done } = await planFirings(client, deps, events);
    await fireWithin(limits, client, deps, firings);
    return done;
  },
  async refuse(client, event, error) {
    const { firings } = await planFirings(client, deps, [event]);
    const refusal = error instanceof AppError ? error.message : internalFault;
    const refused = firings.map((firing) => ({ refusal, ...firing }));
    await fireWithin(limits, client, deps, refused);
  },
});

/** The firings of the first events of the batch; `done` is the number of those events. */
async function planFirings(
  client: SystemTx,
  deps: Pick<Deps, 'log'> & RunQueue,
  events: OutboxEvent[],
): Promise<{ firings: Firing[]; done: number }> {
  const waiting = await findWaiting(client, events);
  const firings: Firing[] = [];
  const spent = new Map<string, number>();
  let total = 0;
  let done = 0;
  for (const [position, event] of events.entries()) {
    const triggers = waiting.get(position) ?? [];
    if (done > 0 && (firings.length + triggers.length > firingsPerBatch || total > batchFilterMs)) break;
    done += 1;
    const link = chainLink(event);
    const envelope = toEnvelope(event);
    for (const trigger of triggers) {
      if (isOwnRun(event, trigger)) continue;
      const started = performance.now();
      const firing = await planFiring(deps, trigger, envelope, (spent.get(event.tenantId) ?? 0) < tenantFilterMs);
      const took = performance.now() - started;
      spent.set(event.tenantId, (spent.get(event.tenantId) ?? 0) + took);
      total += took;
      if (firing) firings.push({ ...firing, ...link });
    }
  }
  return { firings, done };
}

async function fireWithin(
  limits: ChainLimits,
  client: SystemTx,
  deps: Pick<Deps, 'log'> & RunQueue,
  firings: Firing[],
): Promise<void> {
  if (firings.length === 0) return;
  const { firings: left, overrun } = await boundChains(client, firings, limits);
  for (const { tenantId, rootRunId, dropped } of overrun) {
    deps.log.warn(
      { tenantId, rootRunId, dropped },
      'A chain of runs goes on past its limit; what it fires is dropped.',
    );
  }
  await accept(client, deps, left);
}

/** The firing of one trigger; undefined when the event does not pass its filter. */
async function planFiring(
  deps: Pick<Deps, 'log'> & RunQueue,
  trigger: WaitingTrigger,
  envelope: EventEnvelope,
  hasTime: boolean,
): Promise<Firing | undefined> {
  const { handle, org_id: orgId, filter } = trigger;
  const verdict = filter === null || hasTime ? await filterVerdict(deps, trigger, envelope) : { refusal: tooSlow };
  if (verdict === 'drop') return undefined;
  return {
    actor: systemActor(orgId, envelope.tenant_id, 'event', readCause(envelope.metadata ?? {})),
    handle,
    type: 'event',
    workflowId: trigger.workflow_id,
    payload: envelope,
    idempotencyKey: `event:${envelope.id}:${trigger.id}`,
    capture: true,
    ...(verdict !== 'pass' && verdict),
  };
}

/** A failing filter must only affect its own trigger, because the batch holds events of all tenants. */
async function filterVerdict(
  deps: Pick<Deps, 'log'> & RunQueue,
  trigger: WaitingTrigger,
  envelope: EventEnvelope,
): Promise<Verdict> {
  try {
    return await passesFilter(trigger.filter ?? undefined, trigger.handle, envelope);
  } catch (error) {
    const which = { tenantId: envelope.tenant_id, triggerId: trigger.id, eventId: envelope.id };
    deps.log.error({ err: error, ...which }, 'The filter of an event trigger failed.');
    return { refusal: internalFault };
  }
}

/**
 * The position in its chain of a run that this event starts: below the run that caused the event, or at the head if
 * there is none.
 */
function chainLink({ metadata }: OutboxEvent): Pick<Firing, 'depth' | 'rootRunId'> {
  const { depth, run_id: runId, root_run_id: rootRunId = runId } = metadata;
  if (typeof depth !== 'number') return { depth: 0 };
  return { depth: depth + 1, ...(rootRunId !== undefined && { rootRunId }) };
}

/** A workflow triggered by the end of runs ignores its own runs, because each would start the next. */
const isOwnRun = ({ topic, metadata }: OutboxEvent, { workflow_id: id }: WaitingTrigger): boolean =>
  (topic === 'run.finished' || topic === 'run.failed') && metadata.source === 'run' && metadata.workflow_id === id;

/** The patterns by which a trigger can subscribe to the topic: `order.created`, `order.*` or `*`. */
export function listPatterns(topic: string): string[] {
  const words = topic.split('.');
  const prefixes = words.slice(1).map((_, index) => `${words.slice(0, index + 1).join('.')}.*`);
  return [topic, ...prefixes, '*'];
}

/** The triggers of each event of the batch, by the event's position. Each tenant and topic is looked up once. */
async function findWaiting(client: SystemTx, events: EventKind[]): Promise<Map<number, WaitingTrigger[]>> {
  const positions = new Map<string, number[]>();
  const wanted: EventKind[] = [];
  for (const [position, event] of events.entries()) {
    const key = `${event.tenantId}/${event.topic}`;
    const same = positions.get(key);
    if (same) same.push(position);
    else {
      positions.set(key, [position]);
      wanted.push(event);
    }
  }
  const rows = await findEventTriggers(
    client,
    wanted.map(({ tenantId, topic }) => ({ tenantId, patterns: listPatterns(topic) })),
  );
  const waiting = new Map<number, WaitingTrigger[]>();
  for (const row of rows) {
    const event = wanted[row.position - 1] as EventKind;
    for (const position of positions.get(`${event.tenantId}/${event.topic}`) ?? []) {
      const triggers = waiting.get(position) ?? [];
      waiting.set(position, triggers);
      triggers.push(row);
    }
  }
  return waiting;
}
