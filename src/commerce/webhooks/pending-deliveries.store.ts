import type { Tx } from '#src/infra/postgres/tx.ts';

/**
 * What waits to be sent is of two kinds. A new delivery has no time: senders find it by its id, behind `sent_to` of its queue. Up to
 * there no new one is left, as the relay alone makes them, and locks the queue before it draws their ids. One that was tried, resent,
 * recovered or pinged has `next_attempt_at`, and is in the indexes over it. So one that succeeds at once is never in an index over what waits.
 */
export const isNew = `status = 'pending' AND next_attempt_at IS NULL`;

interface Excerpt {
  /** The parameter with the tenant, and the one with the destination. Without the latter: of all the tenant's destinations. */
  tenant: string;
  destination?: string | undefined;
  /** Ends the statement of each kind: its order and how many. */
  end?: string;
}

/** Selects the ids of what waits. A destination that was deleted has no queue, and what is new to it does not count. */
export const pendingIds = ({ tenant, destination, end = '' }: Excerpt): string => `
  (SELECT id FROM webhook_deliveries WHERE tenant_id = ${tenant}${destination ? ` AND destination_id = ${destination}` : ''}
     AND next_attempt_at IS NOT NULL ${end})
  UNION ALL
  (SELECT id FROM webhook_queues q CROSS JOIN LATERAL (
     SELECT id FROM webhook_deliveries d WHERE d.tenant_id = q.tenant_id AND d.destination_id = q.destination_id AND d.id > q.sent_to AND ${isNew}
     ${end}
   ) AS d WHERE q.tenant_id = ${tenant}${destination ? ` AND q.destination_id = ${destination}` : ''} ${end})`;

/** Up to where the queue of a destination has been worked off; 0 where there is none. */
export async function readSentTo(tx: Tx, tenantId: string, destinationId: bigint | number): Promise<number> {
  const { rows } = await tx.query<{ sentTo: number }>({
    text: 'SELECT sent_to AS "sentTo" FROM webhook_queues WHERE tenant_id = $1 AND destination_id = $2',
    values: [tenantId, destinationId],
  });
  return rows[0]?.sentTo ?? 0;
}
