import type { Channel } from '#src/infra/live/pubsub.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import { batchSize, type Changed, giveUpBatch, holdBatch, lockDisabled } from './deliveries.store.ts';

/** Deliveries to one destination that have changed. */
export type DeliveryNotice = [tenantId: string, destinationId: number, ...deliveryIds: number[]];

/** So many fit into a notification of Postgres, each with the digits of the largest id. */
const idsPerNotice = 400;

export const deliveriesChannel: Channel<DeliveryNotice> = {
  name: 'causeway_webhook_deliveries',
  parse(raw) {
    if (!Array.isArray(raw)) return undefined;
    const [tenantId, ...numbers] = raw as unknown[];
    const isNotice = typeof tenantId === 'string' && numbers.length >= 2 && numbers.every(Number.isSafeInteger);
    return isNotice ? (raw as DeliveryNotice) : undefined;
  },
  // Tenant ids contain no slash, so keys of two tenants never collide.
  keys: ([tenantId, destinationId]) => [tenantId, `${tenantId}/${destinationId}`],
};

/** Notifies live views of changes once the transaction has committed. */
export function notifyDeliveries(tx: Tx, tenantId: string, changes: readonly Changed[]): void {
  tx.notify(deliveriesChannel.name, noticesOf(tenantId, changes));
}

/** A notice for each destination, since one for each delivery costs its sender as much as the delivery's record. */
export function noticesOf(tenantId: string, changes: readonly Changed[]): DeliveryNotice[] {
  const notices: DeliveryNotice[] = [];
  for (const [destinationId, own] of Map.groupBy(changes, (each) => each.destinationId)) {
    for (let from = 0; from < own.length; from += idsPerNotice)
      notices.push([tenantId, destinationId, ...own.slice(from, from + idsPerNotice).map(({ id }) => id)]);
  }
  return notices;
}

/** Holds a batch of the deliveries that wait for a destination; returns whether there may be more. */
export async function holdPending(tx: Tx, tenantId: string, destinationId: bigint | number): Promise<boolean> {
  const held = await holdBatch(tx, tenantId, destinationId);
  notifyDeliveries(tx, tenantId, held);
  return held.length === batchSize;
}

/** The same, unless the destination has been enabled in the meantime. */
export const holdDisabled = async (tx: Tx, tenantId: string, destinationId: bigint | number): Promise<boolean> =>
  (await lockDisabled(tx, tenantId, destinationId)) && holdPending(tx, tenantId, destinationId);

/** Fails a batch of the deliveries that wait for a deleted destination; returns whether there may be more. */
export async function settleDeleted(tx: Tx, tenantId: string, destinationId: bigint): Promise<boolean> {
  const settled = await giveUpBatch(tx, tenantId, destinationId);
  notifyDeliveries(tx, tenantId, settled);
  return settled.length === batchSize;
}
