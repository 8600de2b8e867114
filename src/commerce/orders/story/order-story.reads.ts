import { findEventDeadLetters } from '#src/automation/dead-letters/event-dead-letters.reads.ts';
import { findCallingSteps, findEventRuns } from '#src/automation/runs/event-runs.reads.ts';
import { findChanges } from '#src/commerce/orders/order-changes.reads.ts';
import { findEventDeliveries } from '#src/commerce/webhooks/deliveries.reads.ts';
import type { Database } from '#src/infra/postgres/database.ts';
import { sortStory, type StoryEntry, storyLimits } from './order-story.rules.ts';

/** The parts of a story that not everybody may see. */
export interface StoryParts {
  /** The runs, and the dead letters, which are in place of runs. */
  runs: boolean;
  deliveries: boolean;
}

/** The stories of these orders, by id: five statements, however many orders, runs and deliveries there are. */
export async function findStories(
  database: Database,
  tenantId: string,
  orderIds: readonly number[],
  parts: StoryParts,
): Promise<Map<number, StoryEntry[]>> {
  const changes = await findChanges(database, tenantId, orderIds);
  const orders = new Map(changes.flatMap(({ eventId, orderId }) => (eventId === null ? [] : [[eventId, orderId]])));
  const eventIds = [...orders.keys()];
  const isEmpty = eventIds.length === 0;
  const [deliveries, runs, deadLetters] = await Promise.all([
    parts.deliveries && !isEmpty
      ? findEventDeliveries(database, tenantId, eventIds, storyLimits.deliveriesOfEvent)
      : [],
    parts.runs && !isEmpty ? findEventRuns(database, tenantId, eventIds, storyLimits.runsOfEvent) : [],
    parts.runs && !isEmpty ? findEventDeadLetters(database, tenantId, eventIds, storyLimits.deadLettersOfEvent) : [],
  ]);
  const byId = new Map(runs.map((each) => [each.run.id, each]));
  const steps =
    runs.length === 0 ? [] : await findCallingSteps(database, tenantId, [...byId.keys()], storyLimits.stepsOfRun);
  const entries: StoryEntry[] = [
    ...changes.map((change) => ({ kind: 'change' as const, at: change.createdAt, eventId: change.eventId, change })),
    ...deliveries.map((delivery) => ({
      kind: 'delivery' as const,
      at: delivery.createdAt,
      eventId: delivery.eventId,
      delivery,
    })),
    ...deadLetters.map((deadLetter) => ({
      kind: 'deadLetter' as const,
      at: deadLetter.createdAt,
      eventId: deadLetter.eventId,
      deadLetter,
    })),
    ...runs.map(({ run, eventId }) => ({ kind: 'run' as const, at: run.createdAt, eventId, run })),
    ...steps.flatMap((step) => {
      const caused = byId.get(step.runId);
      return caused ? [{ kind: 'step' as const, at: step.startedAt, ...caused, step }] : [];
    }),
  ];
  return Map.groupBy(sortStory(entries), (entry) =>
    entry.kind === 'change' ? entry.change.orderId : (orders.get(entry.eventId as string) as number),
  );
}

/** Text that changes when a run, a dead letter, a delivery or the order itself does; undefined where the tenant has no such order. */
export async function readStoryMark(
  { tenantQuery }: Pick<Database, 'tenantQuery'>,
  tenantId: string,
  orderId: number,
): Promise<string | undefined> {
  const [row] = await tenantQuery<{ mark: string }>(tenantId, {
    name: 'order-story-mark',
    text: `WITH events AS MATERIALIZED (
        SELECT DISTINCT event_id FROM order_changes WHERE tenant_id = $1 AND order_id = $2 AND event_id IS NOT NULL
      )
      SELECT concat_ws(';', o.updated_at,
        (SELECT string_agg(concat(r.id, ':', r.version), ',') FROM events CROSS JOIN LATERAL (
          SELECT id, version FROM runs WHERE tenant_id = $1 AND event_id = events.event_id ORDER BY id LIMIT ${storyLimits.runsOfEvent}
        ) AS r),
        (SELECT string_agg(concat(l.id, ':', l.status), ',') FROM events CROSS JOIN LATERAL (
          SELECT id, status FROM dead_letters WHERE tenant_id = $1 AND event_id = events.event_id ORDER BY id LIMIT ${storyLimits.deadLettersOfEvent}
        ) AS l),
        (SELECT string_agg(concat(d.id, ':', d.version), ',') FROM events CROSS JOIN LATERAL (
          SELECT d.id, d.version FROM webhook_payloads p JOIN webhook_deliveries d ON d.tenant_id = p.tenant_id AND d.payload_id = p.id
          WHERE p.tenant_id = $1 AND p.event_id = events.event_id ORDER BY d.id LIMIT ${storyLimits.deliveriesOfEvent}
        ) AS d)) AS mark
      FROM orders o WHERE o.tenant_id = $1 AND o.id = $2`,
    values: [tenantId, orderId],
  });
  return row?.mark;
}
