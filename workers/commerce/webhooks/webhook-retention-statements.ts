import { deliveryDays } from '#src/commerce/webhooks/delivery-log.rules.ts';
import type { Database } from '#src/infra/postgres/database.ts';

type Family = 'webhook_deliveries' | 'webhook_payloads';
const batchSize = 5_000;

/** The numbers of a table's partitions, oldest first. */
export async function listPartitions({ system }: Database, family: Family): Promise<number[]> {
  const { rows } = await system.query<{ part: number }>(
    `SELECT substring(c.relname FROM '_p(\\d+)$')::bigint AS part FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
     WHERE i.inhparent = $1::regclass ORDER BY part LIMIT 100`,
    [family],
  );
  return rows.map(({ part }) => part);
}

/** Drops a partition whose rows are all older than the retention; returns whether it did. */
export async function dropPassed({ system }: Database, family: Family, part: number): Promise<boolean> {
  const { rows } = await system.query<{ dropped: boolean }>('SELECT drop_passed_webhooks($1, $2) AS dropped', [
    family,
    part,
  ]);
  return rows[0]?.dropped === true;
}

/** Rows of the two newest partitions; older ones wait to be dropped whole. */
const inNewest = (family: Family): string =>
  `id >= (coalesce(pg_sequence_last_value('${family}_id_seq'), 0) / 5000000 - 1) * 5000000`;

/** Deletes a batch of deliveries older than `deliveryDays`, with their attempts; returns whether there may be more. */
export async function purgeDeliveries({ system }: Database): Promise<boolean> {
  const { rows } = await system.query<{ purged: number }>(
    `WITH old AS MATERIALIZED (
       SELECT tenant_id, id FROM webhook_deliveries
       WHERE created_at < now() - interval '${deliveryDays} days' AND ${inNewest('webhook_deliveries')} LIMIT ${batchSize}
     ), attempts AS (
       DELETE FROM webhook_attempts a USING old WHERE a.tenant_id = old.tenant_id AND a.delivery_id = old.id
     ), purged AS (
       DELETE FROM webhook_deliveries d USING old WHERE d.tenant_id = old.tenant_id AND d.id = old.id RETURNING 1
     ) SELECT count(*) AS purged FROM purged`,
  );
  return Number(rows[0]?.purged) === batchSize;
}

/** The same for payloads, which are kept a day longer, so that no delivery is without one. */
export async function purgePayloads({ system }: Database): Promise<boolean> {
  const { rowCount } = await system.query(
    `DELETE FROM webhook_payloads WHERE (tenant_id, id) IN (
       SELECT tenant_id, id FROM webhook_payloads
       WHERE created_at < now() - interval '${deliveryDays + 1} days' AND ${inNewest('webhook_payloads')} LIMIT ${batchSize}
     )`,
  );
  return rowCount === batchSize;
}
