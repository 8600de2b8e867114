import type { ImportDeps } from '#src/imports/targets/import-deps.ts';
import type { ImportTarget } from '#src/imports/targets/target.ts';
import type { Database, SystemTx } from '#src/infra/postgres/database.ts';
import { tryLockNamed } from '#src/infra/postgres/named-locks.ts';
import { type EventKind, type OutboxConsumer, wakeRelay } from '#src/journal/outbox/outbox.ts';
import { deleteSet, findOldestSet, toEventKind, publishSet } from './event-sets.store.ts';

interface EventSetDeps {
  database: Database;
  targets: ReadonlyMap<string, ImportTarget>;
  consumers: readonly OutboxConsumer[];
}

/**
 * Publishes the events of the oldest set that imports stored, in one transaction; returns whether there may be more. They enter the
 * outbox only where a consumer wants them, because building them for nobody would cost as much as the import itself.
 */
export const releaseEventSet = ({ database, targets, consumers }: EventSetDeps): Promise<boolean> =>
  database.withSystem(async (tx) => {
    // One at a time, so that the events of a record come in the order of its changes.
    if (!(await tryLockNamed(tx, 'import-event-sets'))) return false;
    const stored = await findOldestSet(tx);
    if (!stored) return false;
    const events = targets.get(stored.target)?.events;
    if (events && (await isWanted(tx, consumers, toEventKind(stored, events)))) {
      await publishSet(tx, stored, events);
      wakeRelay(tx);
    }
    await deleteSet(tx, stored);
    return true;
  });

/**
 * True if somebody subscribed to the events of the next merge; a set of them costs a fifth of merging prices. A subscriber who comes before
 * the merge has committed must get them too.
 */
export const hasEventSubscribers = async (
  { database, consumers }: Pick<ImportDeps, 'database' | 'consumers'>,
  tenantId: string,
  { events }: Pick<ImportTarget, 'events'>,
): Promise<boolean> =>
  events !== undefined &&
  database.withSystem((tx) => isWanted(tx, consumers(), { tenantId, topic: events.topic.name }));

async function isWanted(tx: SystemTx, consumers: readonly OutboxConsumer[], kind: EventKind): Promise<boolean> {
  for (const consumer of consumers) {
    if (!consumer.wanted || (await consumer.wanted(tx, [kind])).length > 0) return true;
  }
  return false;
}
