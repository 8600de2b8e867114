import { maxDepth } from '#src/automation/runs/error-workflows.ts';
import { accept, type Firing } from '#src/automation/runs/firings.service.ts';
import type { SystemTx } from '#src/platform/database.ts';
import { type Deps, systemActor } from '#src/platform/deps.ts';
import type { OutboxConsumer, OutboxEvent } from '#src/platform/outbox.ts';
import { type EventEnvelope, envelopeOf, passesFilter } from './event-filter.ts';

/** A trigger that waits for an event of the batch: the one at `position`. */
interface WaitingTrigger {
  position: number;
  id: number;
  handle: string;
  workflow_id: number;
  filter: string | null;
  org_id: string;
}

// A transaction that fires more than this in one go keeps its locks too long; the rest goes into the next.
const firingsPerBatch = 500;
const triggersPerEvent = 1_000;
// Filters compute in the worker that also runs workflows. A tenant's share of a batch, and the batch's own.
const tenantFilterMs = 2_000;
const batchFilterMs = 5_000;

const tooSlow = "The filters of this tenant's event triggers take too long together; make them simpler.";

/** Fires the event triggers of each event's tenant; a run is started once for each event and trigger. */
export const eventTriggers = (deps: Deps): OutboxConsumer => ({
  name: 'event-triggers',
  handle: (client, events) => fireEventTriggers(client, deps, events),
});

async function fireEventTriggers(client: SystemTx, deps: Deps, events: OutboxEvent[]): Promise<number> {
  const waiting = await findWaiting(client, events);
  const firings: Firing[] = [];
  const spent = new Map<string, number>();
  let total = 0;
  let done = 0;
  for (const [position, event] of events.entries()) {
    const triggers = waiting.get(position) ?? [];
    if (done > 0 && (firings.length + triggers.length > firingsPerBatch || total > batchFilterMs)) break;
    done += 1;
    if (triggers.length === triggersPerEvent) {
      deps.log.error(
        { tenantId: event.tenantId, topic: event.topic, limit: triggersPerEvent },
        'An event has more triggers than are fired.',
      );
    }
    const depth = depthAfter(event);
    if (triggers.length > 0 && depth > maxDepth) {
      deps.log.warn(
        { tenantId: event.tenantId, eventId: event.eventId, topic: event.topic, depth },
        'A chain of runs that start runs ends here.',
      );
      continue;
    }
    const envelope = envelopeOf(event);
    for (const trigger of triggers) {
      if (tellsOfOwnRun(event, trigger)) continue;
      const started = performance.now();
      const firing = await firingOf(trigger, envelope, (spent.get(event.tenantId) ?? 0) < tenantFilterMs);
      const took = performance.now() - started;
      spent.set(event.tenantId, (spent.get(event.tenantId) ?? 0) + took);
      total += took;
      if (firing) firings.push({ ...firing, depth });
    }
  }
  if (firings.length > 0) await accept(client, deps, firings);
  return done;
}

/** The firing of one trigger, or undefined where its filter does not want the event. */
async function firingOf(
  trigger: WaitingTrigger,
  envelope: EventEnvelope,
  hasTime: boolean,
): Promise<Firing | undefined> {
  const { handle, org_id: orgId, filter } = trigger;
  const verdict =
    filter === null || hasTime ? await passesFilter(filter ?? undefined, handle, envelope) : { refusal: tooSlow };
  if (verdict === 'drop') return undefined;
  return {
    actor: systemActor(orgId, envelope.tenant_id, 'event'),
    handle,
    type: 'event',
    workflowId: trigger.workflow_id,
    payload: envelope,
    idempotencyKey: `event:${envelope.id}:${trigger.id}`,
    capture: true,
    ...(verdict !== 'pass' && verdict),
  };
}

/** Where a run that this event starts stands in the chain: one below the run that caused the event, 0 without one. */
const depthAfter = ({ metadata: { depth } }: OutboxEvent): number => (typeof depth === 'number' ? depth + 1 : 0);

/** A workflow that waits for the end of runs does not wait for its own, or each of its runs would start the next. */
const tellsOfOwnRun = ({ topic, metadata }: OutboxEvent, { workflow_id: id }: WaitingTrigger): boolean =>
  (topic === 'run.finished' || topic === 'run.failed') && metadata.source === 'run' && metadata.workflow_id === id;

/** What a trigger may have written down to be meant by the topic: `order.created`, `order.*` or `*`. */
export function patternsOf(topic: string): string[] {
  const words = topic.split('.');
  const prefixes = words.slice(1).map((_, index) => `${words.slice(0, index + 1).join('.')}.*`);
  return [topic, ...prefixes, '*'];
}

const findSql = `
  SELECT wanted.position::int, t.id, t.handle, t.workflow_id, t.filter, tenants.org_id
  FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS wanted(tenant_id, patterns, position)
  JOIN tenants ON tenants.id = wanted.tenant_id
  CROSS JOIN LATERAL (
    SELECT t.id, t.handle, t.workflow_id, t.config ->> 'filter' AS filter FROM triggers t
    JOIN workflows w ON w.tenant_id = t.tenant_id AND w.id = t.workflow_id AND w.deleted_at IS NULL
    WHERE t.tenant_id = wanted.tenant_id AND t.type = 'event' AND t.active AND t.config -> 'topics' ?| wanted.patterns::text[]
    ORDER BY t.id LIMIT ${triggersPerEvent}
  ) AS t`;

/** The triggers of every event of the batch, by its position in it. Asked once for each tenant and topic. */
async function findWaiting(client: SystemTx, events: OutboxEvent[]): Promise<Map<number, WaitingTrigger[]>> {
  const positions = new Map<string, number[]>();
  const wanted: OutboxEvent[] = [];
  for (const [position, event] of events.entries()) {
    const key = `${event.tenantId}/${event.topic}`;
    const same = positions.get(key);
    if (same) same.push(position);
    else {
      positions.set(key, [position]);
      wanted.push(event);
    }
  }
  const { rows } = await client.query<WaitingTrigger>({
    name: 'find-event-triggers',
    text: findSql,
    // Postgres has no lists of lists of unequal length, so each list of patterns travels as text.
    values: [
      wanted.map(({ tenantId }) => tenantId),
      wanted.map(
        ({ topic }) =>
          `{${patternsOf(topic)
            .map((pattern) => JSON.stringify(pattern))
            .join(',')}}`,
      ),
    ],
  });
  const waiting = new Map<number, WaitingTrigger[]>();
  for (const row of rows) {
    const event = wanted[row.position - 1] as OutboxEvent;
    for (const position of positions.get(`${event.tenantId}/${event.topic}`) ?? []) {
      const triggers = waiting.get(position) ?? [];
      waiting.set(position, triggers);
      triggers.push(row);
    }
  }
  return waiting;
}
