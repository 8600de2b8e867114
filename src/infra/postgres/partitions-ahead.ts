import type { Database } from './database.ts';

/** A table that is partitioned by the ids of each of these sequences; the others of a sequence get theirs at the same time. */
const filled = `(VALUES ('runs', 'runs_id_seq'), ('audit_entries', 'audit_entries_id_seq'),
  ('webhook_payloads', 'webhook_payloads_id_seq'), ('webhook_deliveries', 'webhook_deliveries_id_seq')) AS filled (name, sequence)`;

/** Ids of a partition, as `ensure_partition` makes them. */
const span = 5_000_000;

/**
 * Whole partitions beyond the one that is being filled, of the table that has the fewest; 1 or 2 where they are made in time. Partitions
 * further away hold rows of tenants that came from another installation.
 */
export async function countPartitionsAhead({ system }: Pick<Database, 'system'>): Promise<number> {
  const { rows } = await system.query<{ ahead: number | null }>(
    `SELECT min(ahead.count)::int AS ahead FROM ${filled}
       JOIN pg_sequence ON seqrelid = filled.sequence::regclass,
       LATERAL (SELECT coalesce(pg_sequence_last_value(seqrelid), seqstart) AS last) AS given,
       LATERAL (
         SELECT count(*) FROM pg_inherits JOIN pg_class ON oid = inhrelid,
           LATERAL (SELECT substring(pg_get_expr(relpartbound, oid) FROM 'FROM \\(''(\\d+)''\\)')::bigint AS first) AS bound
         WHERE inhparent = filled.name::regclass AND bound.first > given.last AND bound.first <= given.last + 2 * ${span}) AS ahead`,
  );
  return rows[0]?.ahead ?? 0;
}
