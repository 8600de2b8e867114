import type { Tx } from '#src/infra/postgres/tx.ts';

/**
 * Two kinds of deliveries wait to be sent. A new one has no time: senders find it by its id, after `sent_to` of its queue. No new one is
 * left before that position, because only the relay creates them, and locks the queue before it allocates their ids. One that was tried,
 * resent, recovered or pinged has `next_attempt_at`, and is in the indexes on it. So a delivery that succeeds the first time is never in an
 * index of waiting ones.
 */
export const isNew = `status = 'pending' AND next_attempt_at IS NULL`;

interface Excerpt {
  /** The parameter with the tenant, and the one with the destination; without the latter, all the tenant's destinations. */
  tenant: string;
  destination?: string | undefined;
  /** The end of the statement of each kind: its ORDER BY and LIMIT. */
  end?: string;
}

/** Selects the ids of waiting deliveries. A deleted destination has no queue, and its new deliveries are not included. */
export const pendingIds = ({ tenant, destination, end = '' }: Excerpt): string => `
  (SELECT id FROM webhook_deliveries WHERE tenant_id = ${tenant}${destination ? ` AND destination_id = ${destination}` : ''}
     AND next_attempt_at IS NOT NULL ${end})
  UNION ALL
  (SELECT id FROM webhook_queues q CROSS JOIN LATERAL (
     SELECT id FROM webhook_deliveries d WHERE d.tenant_id = q.tenant_id AND d.destination_id = q.destination_id AND d.id > q.sent_to AND ${isNew}
     ${end}
   ) AS d WHERE q.tenant_id = ${tenant}${destination ? ` AND q.destination_id = ${destination}` : ''} ${end})`;

/** The id up to which the queue of a destination has been processed; 0 if there is no queue. */
export async function readSentTo(tx: Tx, tenantId: string, destinationId: bigint | number): Promise<number> {
  const { rows } = await tx.query<{ sentTo: number }>({
    text: 'SELECT sent_to AS "sentTo" FROM webhook_queues WHERE tenant_id = $1 AND destination_id = $2',
    values: [tenantId, destinationId],
  });
  return rows[0]?.sentTo ?? 0;
}
