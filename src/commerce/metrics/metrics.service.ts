import type { Tx } from '#src/infra/postgres/tx.ts';
import { addToDay, type CountedOrder } from './order-sums.store.ts';

/**
 * Adds an order to the metrics of its organization (`sign` 1), or removes a cancelled one (-1), in the transaction that places or cancels
 * it. Call it last there, because it takes locks. An order without an organization is not counted.
 */
export async function recordOrderSums(
  tx: Tx,
  tenantId: string,
  { organizationId, ...order }: Omit<CountedOrder, 'organizationId'> & { organizationId: bigint | number | null },
): Promise<void> {
  if (organizationId !== null) await addToDay(tx, tenantId, { ...order, organizationId: BigInt(organizationId) });
}
