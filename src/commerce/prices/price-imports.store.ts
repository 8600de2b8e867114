import { chunkRowsSql, chunkValues, type ImportChunk, type RefusedRow } from '#src/imports/targets/target.ts';
import { instantSql } from '#src/infra/postgres/instants.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import { insertEventsSql } from '#src/journal/outbox/outbox.ts';
import { priceChanged } from './prices.topics.ts';

const rows = chunkRowsSql({
  list: 'c1',
  sku: 'c2',
  quantity_from: 'trim_scale(c3::numeric)',
  amount: 'c4::numeric',
  currency: 'c5',
  valid_from: 'c6::timestamptz',
  valid_until: 'c7::timestamptz',
});

// Read row by row: docs/decisions/keyed-plans.md.
const list = 'LATERAL (SELECT id, currency FROM price_lists WHERE tenant_id = $1 AND code = r.list OFFSET 0) AS l';

/** Keeps the lists that a chunk names from being deleted before it has committed. */
export async function holdPriceLists(tx: Tx, chunk: ImportChunk): Promise<void> {
  await tx.query({
    name: 'hold-price-lists',
    text: `SELECT count(*) FROM (SELECT id FROM price_lists
      WHERE tenant_id = $1 AND code IN (SELECT DISTINCT list FROM ${rows} AS r) ORDER BY id FOR KEY SHARE) AS held`,
    values: chunkValues(chunk),
  });
}

type PriceFault = 'list' | 'sku' | 'currency' | 'valid_until';
const reasons: Record<PriceFault, string> = {
  list: 'There is no price list of this code; make it first.',
  sku: 'There is no product with this SKU; make it first.',
  currency: 'The currency of the list is another one.',
  valid_until: 'Use a later end than the start.',
};

/** Rows without a list or a product, in another currency than their list's, and those that are never valid. */
export async function findRefusedPrices(tx: Tx, chunk: ImportChunk): Promise<RefusedRow[]> {
  const found = await tx.query<{ n: number; field: PriceFault }>({
    name: 'find-refused-prices',
    text: `SELECT * FROM (
        SELECT r.n, CASE WHEN l.id IS NULL THEN 'list' WHEN r.currency <> l.currency THEN 'currency'
          WHEN (SELECT true FROM products p WHERE p.tenant_id = $1 AND p.sku = r.sku) IS NULL THEN 'sku'
          WHEN r.valid_until <= r.valid_from THEN 'valid_until' END AS field
        FROM ${rows} AS r LEFT JOIN ${list} ON true) AS judged
      WHERE field IS NOT NULL`,
    values: chunkValues(chunk),
  });
  return found.rows.map(({ n, field }) => ({ n, field, reason: reasons[field] }));
}

/** Writes the prices of a chunk that differ from what is there, with their events, and answers how many. */
export async function writePrices(tx: Tx, chunk: ImportChunk, refused: readonly RefusedRow[]): Promise<number> {
  const found = await tx.query<{ written: number }>({
    name: 'write-imported-prices',
    text: `WITH given AS MATERIALIZED (
        SELECT r.*, l.id AS list_id FROM ${rows} AS r CROSS JOIN ${list}
        WHERE r.n NOT IN (SELECT unnest($5::int[])) AND (
          SELECT true FROM prices p WHERE p.tenant_id = $1 AND p.sku = r.sku AND p.list_id = l.id
            AND p.quantity_from = r.quantity_from AND p.valid_from IS NOT DISTINCT FROM r.valid_from AND p.amount = r.amount
            AND p.valid_until IS NOT DISTINCT FROM r.valid_until) IS NULL
      ), written AS (
        INSERT INTO prices AS p (tenant_id, list_id, sku, quantity_from, amount, valid_from, valid_until)
        SELECT $1, list_id, sku, quantity_from, amount, valid_from, valid_until FROM given
        ON CONFLICT (tenant_id, sku, list_id, quantity_from, valid_from) DO UPDATE
          SET amount = excluded.amount, valid_until = excluded.valid_until, updated_at = CURRENT_TIMESTAMP
        RETURNING *
      ), published AS (${insertEventsSql(`(
        SELECT $1 AS tenant_id, '${priceChanged.name}' AS topic, jsonb_build_object('id', w.id, 'list', l.code, 'sku', w.sku,
          'quantity_from', w.quantity_from::text, 'amount', w.amount::text, 'currency', l.currency,
          'valid_from', ${instantSql('w.valid_from')}, 'valid_until', ${instantSql('w.valid_until')},
          'created_at', ${instantSql('w.created_at')}, 'updated_at', ${instantSql('w.updated_at')}) AS data,
          '{}'::jsonb AS metadata
        FROM written w CROSS JOIN LATERAL (
          SELECT code, currency FROM price_lists WHERE tenant_id = $1 AND id = w.list_id OFFSET 0) AS l) AS event`)}
      )
      SELECT count(*) AS written FROM written`,
    values: [...chunkValues(chunk), refused.map(({ n }) => n)],
  });
  return found.rows[0]?.written ?? 0;
}
