import type { Deps } from '#src/infra/deps.ts';
import type { Channel } from '#src/infra/live/pubsub-topic.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import { batchSize, type Changed, giveUpBatch, holdBatch, lockDisabled, type Waiting } from './deliveries.store.ts';
import { readSentTo } from './pending-deliveries.store.ts';

/** Deliveries to one destination from one id to another, of which some have changed. */
export type DeliveryNotice = readonly [tenantId: string, destinationId: number, from: number, to: number];

/** Ids no further apart than this share a notice. A view also reads the ids between them, and skips unchanged ones. */
const near = 100;

export const deliveriesChannel: Channel<DeliveryNotice> = {
  name: 'causeway_webhook_deliveries',
  parse(raw) {
    if (!Array.isArray(raw)) return undefined;
    const [tenantId, ...numbers] = raw as unknown[];
    const isNotice = typeof tenantId === 'string' && numbers.length === 3 && numbers.every(Number.isSafeInteger);
    return isNotice ? (raw as unknown as DeliveryNotice) : undefined;
  },
  // Tenant ids contain no slash, so keys of two tenants never collide.
  keys: ([tenantId, destinationId]) => [tenantId, `${tenantId}/${destinationId}`],
};

/** Notifies live views of changes once the transaction has committed. */
export function notifyDeliveries(tx: Tx, tenantId: string, changes: readonly Changed[]): void {
  for (const [destinationId, own] of Map.groupBy(changes, (each) => each.destinationId))
    tx.notify(deliveriesChannel.name, buildNotices({ tenantId, destinationId, ids: own.map(({ id }) => id) }));
}

/** Changed deliveries of one destination. */
export interface ChangedTogether {
  tenantId: string;
  destinationId: number;
  ids: readonly number[];
}

/** Sends notices of changes to live views once the transaction has committed. */
export function buildNotices({ tenantId, destinationId, ids }: ChangedTogether): DeliveryNotice[] {
  const notices: DeliveryNotice[] = [];
  const sorted = ids.toSorted((one, other) => one - other);
  let from = 0;
  for (const [place, id] of sorted.entries()) {
    const next = sorted[place + 1];
    if (next !== undefined && next - id <= near) continue;
    notices.push([tenantId, destinationId, sorted[from] as number, id]);
    from = place + 1;
  }
  return notices;
}

/**
 * Merges notices into fewer: those of one destination that are near each other become one, and those further apart only while more than
 * `most` are left, because a view reads everything in between. Nothing is lost.
 */
export function gatherNotices(notices: readonly DeliveryNotice[], most: number): DeliveryNotice[] {
  let gathered = joined(notices, near);
  for (let gap = 10 * near; gathered.length > most && gap < Number.MAX_SAFE_INTEGER; gap *= 10)
    gathered = joined(gathered, gap);
  return gathered;
}

/** Joins the notices of each destination that are no further apart than `gap`. */
function joined(notices: readonly DeliveryNotice[], gap: number): DeliveryNotice[] {
  const all: DeliveryNotice[] = [];
  for (const own of Map.groupBy(notices, ([, destinationId]) => destinationId).values()) {
    const [first, ...others] = own.toSorted(([, , one], [, , other]) => one - other) as [DeliveryNotice];
    let open = first;
    for (const next of others as DeliveryNotice[]) {
      const [tenantId, destinationId, from, to] = open;
      const isNear = next[2] - to <= gap;
      if (!isNear) all.push(open);
      open = isNear ? [tenantId, destinationId, from, Math.max(to, next[3])] : next;
    }
    all.push(open);
  }
  return all;
}

/** Runs `batch` after the last delivery of the previous batch, until there is none. */
export async function inBatches(batch: (after: number) => Promise<number | undefined>): Promise<void> {
  for (let after: number | undefined = 0; after !== undefined;) after = await batch(after);
}

/** The last delivery of a full batch, after which there may be more; undefined otherwise. */
const findLastId = (changes: readonly Changed[]): number | undefined =>
  changes.length === batchSize ? changes.reduce((last, { id }) => Math.max(last, id), 0) : undefined;

/** Holds a batch of the deliveries that wait for a destination; returns the last of them if there may be more. */
export async function holdPending(
  tx: Tx,
  tenantId: string,
  destinationId: bigint | number,
  after = 0,
): Promise<number | undefined> {
  const sentTo = await readSentTo(tx, tenantId, destinationId);
  const held = await holdBatch(tx, tenantId, { destinationId, sentTo, after });
  notifyDeliveries(tx, tenantId, held);
  return findLastId(held);
}

/** The same, unless the destination has been enabled in the meantime. */
export const holdDisabled = async (
  tx: Tx,
  tenantId: string,
  destinationId: bigint | number,
  after: number,
): Promise<number | undefined> =>
  (await lockDisabled(tx, tenantId, destinationId)) ? holdPending(tx, tenantId, destinationId, after) : undefined;

/** Fails the deliveries that wait for a deleted destination. In batches, because many may wait. */
export const giveUpDeleted = (
  { database }: Pick<Deps, 'database'>,
  { tenantId, ...deleted }: Omit<Waiting, 'after'> & { tenantId: string },
): Promise<void> =>
  inBatches((after) =>
    database.withTenant(tenantId, async (tx) => {
      const givenUp = await giveUpBatch(tx, tenantId, { ...deleted, after });
      notifyDeliveries(tx, tenantId, givenUp);
      return findLastId(givenUp);
    }),
  );
