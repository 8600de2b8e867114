import {
  deliveriesChannel,
  holdDisabled,
  inBatches,
  buildNotices,
} from '#src/commerce/webhooks/delivery-changes.service.ts';
import { disableDestination } from '#src/commerce/webhooks/destinations.service.ts';
import { noteProblems } from '#src/commerce/webhooks/fan-out.store.ts';
import { type Deps, systemActor } from '#src/infra/deps.ts';
import { awaitAll } from '#src/infra/postgres/tx.ts';
import { joinErrorGroups } from '#src/journal/error-groups/error-groups.store.ts';
import { isObstacle, openSettings, readSettingsRow, type SendingSettings } from './sending-settings.ts';
import {
  bytesAtOnce,
  claimQueues,
  type DueDelivery,
  type NewDelivery,
  noteHealth,
  type Passed,
  type Progress,
  type QueueKey,
  readHead,
  type Reading,
  readNew,
  readTimed,
  groupResult,
  recordResults,
  type Released,
  releaseQueue,
  type Renewed,
  renewQueues,
  type Result,
} from './sending-statements.ts';

// A claim need not survive a crash, because its lease then expires, so its commit does not wait for the disk.
const notDurably = 'SET LOCAL synchronous_commit = off';

/** Claims queues with due deliveries; see `claimQueues`. */
export const claim = (
  { database }: Deps,
  options: { owner: string; leaseMs: number; limit: number },
): Promise<QueueKey[]> =>
  database.withSystem(async (tx) => {
    const [, claimed] = await awaitAll([tx.query(notDurably), claimQueues(tx, options)]);
    return claimed;
  });

/** Extends the leases of a sender, and notes how far it is; returns the queues that it still holds, with their positions. */
export const renew = (
  { database }: Deps,
  options: { owner: string; leaseMs: number; queues: readonly Progress[] },
): Promise<Renewed[]> =>
  database.withSystem(async (tx) => {
    const [, held] = await awaitAll([tx.query(notDurably), renewQueues(tx, options)]);
    return held;
  });

export const release = ({ database }: Deps, queue: Released): Promise<void> =>
  database.withSystem(async (tx) => {
    await awaitAll([tx.query(notDurably), releaseQueue(tx, queue)]);
  });

export interface Batch {
  settings: SendingSettings;
  due: DueDelivery[];
  /** The last new delivery that was read, including those that are not sent now; undefined if there is none after the former one. */
  readTo: number | undefined;
  /** True when nothing else was due. */
  isAll: boolean;
  /** Until when its settings may be used without reading them again, by `performance.now()`. */
  goodUntil: number;
}

/** How long a tenant's secret is used before it is read again: senders get notices of changed settings, but not of replaced secrets. */
const secretGoodMs = 1_000;

/**
 * Reads a destination's settings and its due deliveries, without those in progress. Undefined if the sender no longer holds the
 * queue. An obstacle to sending is shown as the destination's problem, and then no delivery is due.
 */
export async function readBatch(
  deps: Deps,
  queue: QueueKey & { owner: string; ordered: boolean },
  reading: Reading,
): Promise<Batch | undefined> {
  const [row, timed, found] = await deps.database.withTenantSql(queue.tenantId, (tx) =>
    awaitAll([
      readSettingsRow(tx, queue, queue.owner),
      queue.ordered ? readHead(tx, queue) : readTimed(tx, queue, reading),
      readNew(tx, queue, reading),
    ]),
  );
  if (!row) return undefined;
  const settings = await openSettings(deps, queue, row);
  const goodUntil = row.secretRef === null ? Number.POSITIVE_INFINITY : performance.now() + secretGoodMs;
  const { obstacle, problem } = settings;
  if (obstacle !== problem && (obstacle !== null || isObstacle(problem))) {
    const { tenantId, destinationId } = queue;
    await deps.database.withSystem((tx) => noteProblems(tx, [{ tenantId, destinationId, problem: obstacle }]));
  }
  if (obstacle !== null) return { settings, due: [], readTo: undefined, isAll: false, goodUntil };
  const fresh = found.filter(hasBody).map(asDue);
  if (queue.ordered) return { settings, ...chooseFirst(timed[0], fresh[0], found), isAll: false, goodUntil };
  const due = [...timed.filter(hasBody), ...fresh];
  const bytes = due.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0);
  const isAll = timed.length < reading.limit && found.length < reading.limit && bytes < bytesAtOnce;
  return { settings, due, readTo: found.at(-1)?.id, isAll, goodUntil };
}

const hasBody = <Delivery extends { body: string | null }>(
  delivery: Delivery,
): delivery is Delivery & { body: string } => delivery.body !== null;
const asDue = ({ id, madeAt, eventId, topic, traceparent, requestId, body }: NewDelivery): DueDelivery => ({
  id,
  madeAt,
  dueAt: null,
  tries: 0,
  triesBefore: 0,
  once: false,
  eventId,
  topic,
  traceparent,
  requestId,
  body,
});

/** The next delivery to an ordered destination: the one with the lowest id, and none until its time has come. */
function chooseFirst(
  timed: Passed<DueDelivery> | undefined,
  fresh: DueDelivery | undefined,
  found: readonly { id: number }[],
): Pick<Batch, 'due' | 'readTo'> {
  if (!timed || (fresh && fresh.id < timed.id))
    return { due: fresh ? [fresh] : [], readTo: (fresh ?? found.at(-1))?.id };
  return { due: hasBody(timed) ? [timed] : [], readTo: fresh ? undefined : found.at(-1)?.id };
}

/** Holds all deliveries that wait for a disabled destination. */
export async function holdAll({ database }: Deps, { tenantId, destinationId }: QueueKey): Promise<void> {
  await inBatches((after) =>
    database.withTenantSql(tenantId, (tx) => holdDisabled(tx, tenantId, destinationId, after)),
  );
}

/** A result, and whether it differs from the one before it: the destination begins to fail, or has recovered. */
export type Reported = Result & { turns: boolean };

/** Writes a batch of results in one commit; see `recordResults`. */
export async function record({ database }: Deps, results: Reported[]): Promise<void[]> {
  // The same lock order as where a destination's deliveries are held, against deadlocks.
  const ordered = results.toSorted((a, b) => a.deliveryId - b.deliveryId);
  const turned = new Map(
    results
      .filter(({ turns }) => turns)
      .map(({ tenantId, destinationId, attempt }) => [
        `${tenantId}/${destinationId}`,
        { tenantId, destinationId, fails: attempt === 'failed' },
      ]),
  );
  const givenUp = results.flatMap((result) => {
    const group = groupResult(result);
    return group ? [{ tenantId: result.tenantId, ...group }] : [];
  });
  try {
    // A statement by itself is one round trip, where a transaction is two: what is not recorded when a worker dies is sent again.
    if (turned.size === 0 && givenUp.length === 0) await recordResults(database.system, ordered);
    else
      await database.withSystem(async (tx) => {
        await recordResults(tx, ordered);
        await joinErrorGroups(tx, givenUp);
        if (turned.size > 0) await noteHealth(tx, [...turned.values()]);
      });
    for (const [destinationId, own] of Map.groupBy(ordered, (result) => result.destinationId)) {
      const [{ tenantId }] = own as [Reported];
      const changed = { tenantId, destinationId, ids: own.map(({ deliveryId }) => deliveryId) };
      database.notices.send(deliveriesChannel.name, buildNotices(changed));
    }
  } catch (error) {
    database.notices.skip(deliveriesChannel.name);
    throw error;
  }
  return results.map(() => undefined);
}

/** Disables a destination that answered 410. */
export const disableGone = async (deps: Deps, { tenantId, destinationId }: QueueKey, orgId: string): Promise<void> => {
  await disableDestination(deps, systemActor(orgId, tenantId), BigInt(destinationId), 'gone');
};
