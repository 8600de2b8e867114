import type { Deps } from '#src/infra/deps.ts';
import { systemActor } from '#src/infra/deps.ts';
import { together } from '#src/infra/postgres/together.ts';
import { holdDisabled, notifyDeliveries } from './delivery-changes.service.ts';
import { disableDestination } from './destinations.service.ts';
import { noteProblems } from './fan-out.store.ts';
import { isObstacle, openSettings, readSettingsRow, type SendingSettings } from './sending-settings.service.ts';
import {
  claimQueues,
  type DueDelivery,
  noteHealth,
  type QueueKey,
  readDue,
  readHead,
  recordResults,
  releaseQueue,
  renewQueues,
  type Result,
} from './sending.store.ts';

// What a claim changes is worth nothing after a crash, as the lease then expires: it does not wait for the disk.
const notDurably = 'SET LOCAL synchronous_commit = off';

/** Claims queues in which something is due; see `claimQueues`. */
export const claim = (
  { database }: Deps,
  options: { owner: string; leaseMs: number; limit: number },
): Promise<QueueKey[]> =>
  database.withSystem(async (tx) => {
    const [, claimed] = await together([tx.query(notDurably), claimQueues(tx, options)]);
    return claimed;
  });

/** Extends the leases of a sender; answers the queues that it still holds. */
export const renew = ({ database }: Deps, options: { owner: string; leaseMs: number }): Promise<QueueKey[]> =>
  database.withSystem(async (tx) => {
    const [, held] = await together([tx.query(notDurably), renewQueues(tx, options)]);
    return held;
  });

export const release = (
  { database }: Deps,
  queue: QueueKey & { owner: string; ordered: boolean; notBeforeMs: number },
): Promise<void> =>
  database.withSystem(async (tx) => {
    await together([tx.query(notDurably), releaseQueue(tx, queue)]);
  });

export interface Batch {
  settings: SendingSettings;
  due: DueDelivery[];
}

/**
 * Reads a destination's settings and what is due to it, but for the deliveries that are under way. Undefined where the queue is not
 * the sender's any more. Where something is in the way, the destination says so and nothing is due.
 */
export async function readBatch(
  deps: Deps,
  queue: QueueKey & { owner: string; ordered: boolean },
  reading: { except: number[]; limit: number },
): Promise<Batch | undefined> {
  const [row, due] = await deps.database.withTenantSql(queue.tenantId, (tx) =>
    together([
      readSettingsRow(tx, queue, queue.owner),
      queue.ordered ? readHead(tx, queue) : readDue(tx, queue, reading),
    ]),
  );
  if (!row) return undefined;
  const settings = await openSettings(deps, queue, row);
  const { obstacle, problem } = settings;
  if (obstacle !== problem && (obstacle !== null || isObstacle(problem))) {
    const { tenantId, destinationId } = queue;
    await deps.database.withSystem((tx) => noteProblems(tx, [{ tenantId, destinationId, problem: obstacle }]));
  }
  return { settings, due: obstacle === null ? due : [] };
}

/** Holds everything that waits for a disabled destination. */
export async function holdAll({ database }: Deps, { tenantId, destinationId }: QueueKey): Promise<void> {
  while (await database.withTenantSql(tenantId, (tx) => holdDisabled(tx, tenantId, destinationId)));
}

/** A result, and whether it is the first of its kind after one of the other: the destination begins to fail, or is well again. */
export type Reported = Result & { turns: boolean };

/** Writes a batch of results in one commit; see `recordResults`. */
export async function record({ database }: Deps, results: Reported[]): Promise<void[]> {
  await database.withSystem(async (tx) => {
    const recorded = await recordResults(tx, results);
    const turned = new Map(
      results
        .filter(({ turns }) => turns)
        .map(({ tenantId, destinationId, attempt }) => [
          `${tenantId}/${destinationId}`,
          { tenantId, destinationId, fails: attempt === 'failed' },
        ]),
    );
    if (turned.size > 0) await noteHealth(tx, [...turned.values()]);
    for (const [tenantId, changes] of Map.groupBy(recorded, (each) => each.tenantId))
      notifyDeliveries(tx, tenantId, changes);
  });
  return results.map(() => undefined);
}

/** Disables a destination that answered 410. */
export const disableGone = async (deps: Deps, { tenantId, destinationId }: QueueKey, orgId: string): Promise<void> => {
  await disableDestination(deps, systemActor(orgId, tenantId), BigInt(destinationId), 'gone');
};
