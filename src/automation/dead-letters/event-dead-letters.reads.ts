import type { Database } from '#src/infra/postgres/database.ts';

/** A dead letter, and the event that fired its trigger. */
export interface EventDeadLetter {
  id: bigint;
  eventId: string;
  createdAt: Date;
}

/** The dead letters of each of these events, in the order they were captured, at most `most` of each. */
export async function findEventDeadLetters(
  { tenantQuery }: Pick<Database, 'tenantQuery'>,
  tenantId: string,
  eventIds: readonly string[],
  most: number,
): Promise<EventDeadLetter[]> {
  const rows = await tenantQuery<Omit<EventDeadLetter, 'id'> & { id: number }>(tenantId, {
    name: 'dead-letters-of-events',
    text: `SELECT d.id, d.event_id AS "eventId", d.created_at AS "createdAt"
      FROM unnest($2::uuid[]) AS wanted(event_id) CROSS JOIN LATERAL (
        SELECT * FROM dead_letters WHERE tenant_id = $1 AND event_id = wanted.event_id ORDER BY id LIMIT ${most}
      ) AS d ORDER BY d.id`,
    values: [tenantId, eventIds],
  });
  return rows.map((row) => ({ ...row, id: BigInt(row.id) }));
}
