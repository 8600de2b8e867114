import { ExpressionError } from '#src/automation/expressions/expression-error.ts';
import { toEnvelope } from '#src/automation/firings/event-filter.service.ts';
import type { Deps } from '#src/infra/deps.ts';
import type { SystemTx } from '#src/infra/postgres/database.ts';
import { readEventsByHead, readPart } from '#src/journal/outbox/outbox-reading.store.ts';
import type {
  EventKind,
  EventSpan,
  KindInSpan,
  OutboxConsumer,
  OutboxEvent,
  OutboxHead,
  Position,
} from '#src/journal/outbox/outbox.ts';
import { deliveriesChannel, type DeliveryNotice } from './delivery-changes.service.ts';
import { passesFilter } from './destinations.rules.ts';
import {
  findSubscribers,
  insertDeliveries,
  insertSpan,
  type MadeDeliveries,
  type NewDelivery,
  noteProblems,
  type Subscriber,
  type Taker,
} from './fan-out.store.ts';
import { createFilterTime, type FilterTime } from './filter-time.rules.ts';
import { notifyQueues } from './queue-notices.service.ts';

// A transaction that writes more would hold its locks too long; the rest goes into the next one.
const deliveriesPerBatch = 5_000;
const bytesPerBatch = 16 * 1024 * 1024;
// Deliveries of other tenants are committed with this batch, so it must not take longer.
const msPerBatch = 1_000;

const tooSlow = "The filters of this tenant's destinations take too long together; make them simpler.";
const internalFault = 'The event could not be handled; the log tells why, under its id.';

/** What happens to an event: it is sent, skipped, or held with a reason until somebody recovers it. */
type Verdict = 'send' | 'skip' | { reason: string };
/** `whole` is the event with its data, if one of its subscribers has a filter. */
type Judge = (subscriber: Subscriber, whole: OutboxEvent | undefined) => Promise<Verdict> | Verdict;

/**
 * Creates a delivery of each event for each destination that takes its topic and whose filter it passes; the body is stored once for each
 * event. If a filter fails, the delivery is held, and both it and its destination show the reason.
 */
export function webhookDeliveries(deps: Pick<Deps, 'log'>): OutboxConsumer {
  const judge = judgeByFilter(deps, createFilterTime());
  return {
    name: 'webhooks',
    async wanted(client, kinds) {
      const subscribers = await groupSubscribers(client, kinds);
      return kinds.filter((_, place) => subscribers.has(place));
    },
    // The database writes the bodies from its own outbox; only filters read an event.
    handleSpan: fanOutSpan,
    handle: (client, events) => fanOut(client, events, judge),
    async refuse(client, event) {
      await fanOut(client, [event], () => ({ reason: internalFault }));
    },
  };
}

/** Creates the deliveries of all events of a span in one statement, or of as many as fit, unless a filter must read one of them. */
async function fanOutSpan(client: SystemTx, span: EventSpan): Promise<Position | undefined> {
  const { kinds } = span;
  const subscribers = await groupSubscribers(client, kinds);
  for (const own of subscribers.values()) if (own.some(({ filter }) => filter !== null)) return undefined;
  const costs = kinds.map((_, place) => subscribers.get(place)?.length ?? 0);
  const deliveries = kinds.reduce((sum, { events }, place) => sum + events * (costs[place] as number), 0);
  const bytes = kinds.reduce((sum, { storedBytes }) => sum + storedBytes, 0);
  const isTooMuch = deliveries > deliveriesPerBatch || bytes > bytesPerBatch;
  const limits = { costs, cost: deliveriesPerBatch, storedBytes: bytesPerBatch };
  const part = isTooMuch ? await readPart(client, span, limits) : undefined;
  const { upTo, places } = part ?? { upTo: span.upTo, places: [...kinds.keys()] };
  const taken = { ...span, upTo, kinds: places.map((place) => kinds[place] as KindInSpan) };
  const takers = places.flatMap((place) => toTakers(kinds[place] as KindInSpan, subscribers.get(place) ?? []));
  if (takers.length > 0) announce(client, await insertSpan(client, taken, takers));
  return upTo;
}

const toTakers = ({ tenantId, topic }: EventKind, subscribers: readonly Subscriber[]): Taker[] =>
  subscribers.map(({ id, isDisabled }) => ({ tenantId, topic, destinationId: id, isHeld: isDisabled }));

async function fanOut(client: SystemTx, given: OutboxHead[], judge: Judge): Promise<number> {
  const events = takeFirst(given, bytesPerBatch);
  const subscribers = await groupSubscribers(client, events);
  if (subscribers.size === 0) return events.length;
  const isFiltered = (position: number) => subscribers.get(position)?.some(({ filter }) => filter !== null);
  const whole = await readEventsByHead(
    client,
    events.filter((_, position) => isFiltered(position)),
  );
  const sent: OutboxHead[] = [];
  const deliveries: NewDelivery[] = [];
  const started = performance.now();
  let done = 0;
  for (const [position, event] of events.entries()) {
    const own = subscribers.get(position) ?? [];
    const isFull = deliveries.length + own.length > deliveriesPerBatch;
    if (done > 0 && (isFull || performance.now() - started > msPerBatch)) break;
    done += 1;
    const placed = deliveries.length;
    for (const subscriber of own) {
      const judged = judge(subscriber, whole.get(event.id));
      const verdict = judged instanceof Promise ? await judged : judged;
      if (verdict === 'skip') continue;
      const reason = verdict === 'send' ? null : verdict.reason;
      const isHeld = subscriber.isDisabled || reason !== null;
      const { tenantId } = event;
      deliveries.push({ tenantId, payload: sent.length + 1, destinationId: subscriber.id, isHeld, reason });
    }
    if (deliveries.length === placed) continue;
    sent.push(event);
  }
  if (deliveries.length > 0) await write(client, sent, deliveries);
  return done;
}

/** The first events that together have at most `maxBytes`, and at least one. */
function takeFirst(events: OutboxHead[], maxBytes: number): OutboxHead[] {
  let bytes = 0;
  const beyond = events.findIndex(({ storedBytes }, place) => (bytes += storedBytes) > maxBytes && place > 0);
  return beyond === -1 ? events : events.slice(0, beyond);
}

/** A tenant whose filters have used up their time must wait for a while. */
function judgeByFilter({ log }: Pick<Deps, 'log'>, time: FilterTime): Judge {
  async function judge(filter: string, destinationId: number, event: OutboxEvent): Promise<Verdict> {
    const { tenantId, eventId } = event;
    if (time.isSpent(tenantId, performance.now())) return { reason: tooSlow };
    // The processor time of this thread, because other processes are not the fault of the filter.
    const before = process.threadCpuUsage();
    try {
      return (await passesFilter(filter, toEnvelope(event))) ? 'send' : 'skip';
    } catch (error) {
      if (error instanceof ExpressionError) return { reason: `The filter failed: ${error.reason}` };
      log.error({ err: error, tenantId, destinationId, eventId }, 'The filter of a destination failed.');
      return { reason: internalFault };
    } finally {
      time.add(tenantId, process.threadCpuUsage(before).user / 1_000, performance.now());
    }
  }
  return ({ id, filter }, whole) => (filter === null ? 'send' : judge(filter, id, whole as OutboxEvent));
}

async function write(client: SystemTx, events: OutboxHead[], deliveries: NewDelivery[]): Promise<void> {
  const made = await insertDeliveries(client, events, deliveries);
  const problems = new Map(
    deliveries
      .filter(({ reason }) => reason !== null)
      .map(({ tenantId, destinationId, reason }) => [destinationId, { tenantId, destinationId, problem: reason }]),
  );
  if (problems.size > 0) await noteProblems(client, [...problems.values()]);
  announce(client, made);
}

/** Notifies live views and senders of new deliveries after the commit. */
function announce(client: SystemTx, made: MadeDeliveries[]): void {
  const notices = made.map(({ tenantId, destinationId, from, to }): DeliveryNotice => [
    tenantId,
    destinationId,
    from,
    to,
  ]);
  client.notify(deliveriesChannel.name, notices);
  const waiting = made.filter(({ isHeld }) => !isHeld);
  notifyQueues(
    client,
    waiting.map(({ tenantId, destinationId }) => [tenantId, destinationId]),
  );
}

/** The destinations that take each event of the batch, by the event's position. Each tenant and topic is looked up once, and shares a list. */
async function groupSubscribers(client: SystemTx, events: EventKind[]): Promise<Map<number, Subscriber[]>> {
  const places = Map.groupBy(events.keys(), (place) => {
    const { tenantId, topic } = events[place] as EventKind;
    return `${tenantId}/${topic}`;
  });
  const wanted = [...places.values()];
  const found = await findSubscribers(
    client,
    wanted.map(([first]) => events[first as number] as EventKind),
  );
  const subscribers = new Map<number, Subscriber[]>();
  for (const [position, own] of Map.groupBy(found, (subscriber) => subscriber.position))
    for (const place of wanted[position - 1] ?? []) subscribers.set(place, own);
  return subscribers;
}
