import {
  chunkRowsSql,
  chunkValues,
  type ImportChunk,
  inChunks,
  insertEventSetSql,
  type MergedChunk,
  type StoredRecords,
  type RefusedRow,
  type SurveyedChunk,
} from '#src/imports/targets/target.ts';
import { instantSql } from '#src/infra/postgres/statements/instants.ts';
import { planBy } from '#src/infra/postgres/statements/plans.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';

const rows = chunkRowsSql({
  list: 'c1',
  sku: 'c2',
  quantity_from: 'trim_scale(c3::numeric)',
  amount: 'c4::numeric',
  currency: 'c5',
  valid_from: 'c6::timestamptz',
  valid_until: 'c7::timestamptz',
});

// Read row by row: docs/decisions/system-role-plans-by-key.md.
const list =
  'LATERAL (SELECT id, currency, tax_included FROM price_lists WHERE tenant_id = $1 AND code = r.list OFFSET 0) AS l';

/** Keeps the lists that a chunk names from being deleted before it commits. */
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

/** Rows without a list or a product, in another currency than their list's, or with a validity that never begins. */
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

/**
 * Stored prices in the form of rows. A row that differs only in its amount is never refused; one that differs in its end or currency may
 * be. The currency may be absent.
 */
export const storedPrices: StoredRecords = {
  sql: `SELECT l.code, c.sku, trim_scale(c.quantity_from), c.amount, l.currency, ${instantSql('c.valid_from')}, ${instantSql('c.valid_until')}
    FROM prices c JOIN price_lists l ON l.tenant_id = c.tenant_id AND l.id = c.list_id
    JOIN products p ON p.tenant_id = c.tenant_id AND p.sku = c.sku`,
  values: [{ name: 'amount', mayDiffer: true }, { name: 'valid_until' }, { name: 'currency', mayLack: true }],
};

/**
 * Compares all rows with the lists, the products and the prices, in whole-table joins. Rows that are missing from the result are refused.
 */
export async function surveyPrices(tx: Tx, chunk: ImportChunk, size: number): Promise<SurveyedChunk[]> {
  await planBy(tx, 'tables');
  const found = await tx.query<SurveyedChunk & { chunk: number }>({
    text: `SELECT (n - 1 - $3) / $5::int AS chunk, count(*) AS accepted, count(*) FILTER (WHERE is_good AND is_same) AS unchanged,
        array_agg(n) FILTER (WHERE is_good AND NOT is_same)::text AS due, 0 AS fresh
      FROM (
        SELECT r.n, p.sku IS NOT NULL AND l.id IS NOT NULL AND coalesce(r.currency = l.currency, true)
            AND coalesce(r.valid_until > r.valid_from, true) AS is_good,
          c.id IS NOT NULL AND c.amount = r.amount AND c.valid_until IS NOT DISTINCT FROM r.valid_until AS is_same
        FROM ${rows} AS r
        LEFT JOIN price_lists l ON l.tenant_id = $1 AND l.code = r.list
        LEFT JOIN products p ON p.tenant_id = $1 AND p.sku = r.sku
        LEFT JOIN prices c ON c.tenant_id = $1 AND c.sku = r.sku AND c.list_id = l.id AND c.quantity_from = r.quantity_from
          AND c.valid_from IS NOT DISTINCT FROM r.valid_from
      ) AS compared GROUP BY 1`,
    values: [...chunkValues(chunk), size],
  });
  await planBy(tx, 'keys');
  return inChunks(chunk, size, found.rows);
}

/** The event set of the prices that were `written`. */
const toldSql = `, told AS (${insertEventSetSql('prices', {
  data: `jsonb_build_object('at', clock_timestamp(),
      'lists', (SELECT jsonb_object_agg(list_id, jsonb_build_array(list, currency_of_list, tax_included))
        FROM (SELECT DISTINCT list_id, list, currency_of_list, tax_included FROM given) AS lists),
      'prices', jsonb_agg(jsonb_build_array(id, list_id, sku, quantity_from::text, amount::text, valid_from, valid_until,
        created_at, updated_at)))`,
  source: 'written',
})})`;

interface Writing {
  due: string;
  isSold: string;
  written: string;
}

/**
 * The result of a statement that wrote prices: the number of rows with a list and a product, the number of these that changed something,
 * and their ids.
 */
export interface Written {
  given: number;
  written: number;
  firstId: number | null;
  lastId: number | null;
}

export const noneWritten: Written = { given: 0, written: 0, firstId: null, lastId: null };

/** Rows with the columns of their list, and their events if there are subscribers; $5: the numbers of refused rows. */
const writingSql = ({ due, isSold, written }: Writing, { hasSubscribers }: MergedChunk): string => `
  WITH given AS MATERIALIZED (
    SELECT r.*, l.id AS list_id, l.currency AS currency_of_list, l.tax_included FROM ${due} AS r CROSS JOIN ${list}
    WHERE r.n <> ALL($5::int[]) AND ${isSold}
  ), written AS (${written}
    RETURNING p.id, p.list_id, p.sku, p.quantity_from, p.amount, p.valid_from, p.valid_until, p.created_at, p.updated_at
  )${hasSubscribers ? toldSql : ''}
  SELECT (SELECT count(*) FROM given) AS given, count(*) AS written, min(id) AS "firstId", max(id) AS "lastId" FROM written`;
const inOrder = 'ORDER BY sku, list_id, quantity_from, valid_from';

const changing: Writing = {
  due: rows,
  isSold: 'true',
  written: `
    UPDATE prices AS p SET amount = g.amount, valid_until = g.valid_until, updated_at = CURRENT_TIMESTAMP
    FROM (SELECT * FROM given ${inOrder} OFFSET 0) AS g
    WHERE p.tenant_id = $1 AND p.sku = g.sku AND p.list_id = g.list_id AND p.quantity_from = g.quantity_from
      AND p.valid_from IS NOT DISTINCT FROM g.valid_from
      AND (p.amount <> g.amount OR p.valid_until IS DISTINCT FROM g.valid_until)`,
};
const writing = (due: string): Writing => ({
  due,
  isSold: '(SELECT true FROM products p WHERE p.tenant_id = $1 AND p.sku = r.sku) IS NOT NULL',
  written: `
    INSERT INTO prices AS p (tenant_id, list_id, sku, quantity_from, amount, valid_from, valid_until)
    SELECT $1, list_id, sku, quantity_from, amount, valid_from, valid_until FROM given ${inOrder}
    ON CONFLICT (tenant_id, sku, list_id, quantity_from, valid_from) DO UPDATE
      SET amount = excluded.amount, valid_until = excluded.valid_until, updated_at = CURRENT_TIMESTAMP
      WHERE p.amount <> excluded.amount OR p.valid_until IS DISTINCT FROM excluded.valid_until`,
});
const writingAll = writing(rows);
const writingSome = writing(`(SELECT * FROM ${rows} AS r WHERE r.n = ANY($6::int[]))`);

/**
 * Changes the prices of a chunk whose rows all had one when they were read. An upsert would allocate an id for each row, and lock its price
 * first.
 */
export async function changePrices(tx: Tx, chunk: MergedChunk): Promise<Written> {
  const found = await tx.query<Written>({
    text: writingSql(changing, chunk),
    values: [...chunkValues(chunk), []],
  });
  return found.rows[0] ?? noneWritten;
}

/** Writes the rows with the given numbers, or `all`, except the refused ones, in the order of their key. */
export async function writePrices(
  tx: Tx,
  chunk: MergedChunk,
  { numbers, refused }: { numbers: string; refused: readonly RefusedRow[] },
): Promise<Written> {
  const values = [...chunkValues(chunk), refused.map(({ n }) => n)];
  const found = await tx.query<Written>(
    numbers === 'all'
      ? { text: writingSql(writingAll, chunk), values }
      : { text: writingSql(writingSome, chunk), values: [...values, numbers] },
  );
  return found.rows[0] ?? noneWritten;
}

/**
 * Records how to find the prices that the transaction wrote, without their content: for a subscriber that appears before it commits. A
 * price keeps the transaction's id until it is changed again, which publishes an event of its own.
 */
export async function leaveTrace(tx: Tx, tenantId: string, ids: Pick<Written, 'firstId' | 'lastId'>): Promise<void> {
  await tx.query({
    name: 'trace-imported-prices',
    text: insertEventSetSql('prices', {
      data: `jsonb_build_object('at', clock_timestamp(), 'xid', pg_current_xact_id()::xid::text, 'first', $2::bigint, 'last', $3::bigint)`,
      source: '(SELECT) AS traced',
    }),
    values: [tenantId, ids.firstId, ids.lastId],
  });
}

const instantAt = (place: number): string => instantSql(`(p ->> ${place})::timestamptz`);

/** The prices of a set as `price.changed` describes them: as they were written, even if they have changed since. */
const toldEventsSql = `
  SELECT jsonb_build_object('id', (p ->> 0)::bigint, 'list', list ->> 0, 'sku', p ->> 2, 'quantity_from', p ->> 3, 'amount', p ->> 4,
      'currency', list ->> 1, 'tax_included', coalesce(list -> 2, 'false'), 'valid_from', ${instantAt(5)}, 'valid_until', ${instantAt(6)},
      'created_at', ${instantAt(7)}, 'updated_at', ${instantAt(8)}) AS data, at
  FROM (
    SELECT p, place, lists -> (p ->> 1) AS list, at
    FROM (
      SELECT given -> 'lists' AS lists, given -> 'prices' AS prices, (given ->> 'at')::timestamptz AS at FROM given OFFSET 0
    ) AS told CROSS JOIN LATERAL jsonb_array_elements(prices) WITH ORDINALITY AS each(p, place)
  ) AS priced ORDER BY place`;

/** The prices of a trace, except those that have changed since. */
const tracedEventsSql = `
  SELECT jsonb_build_object('id', p.id, 'list', p.code, 'sku', p.sku, 'quantity_from', p.quantity_from::text, 'amount', p.amount::text,
      'currency', p.currency, 'tax_included', p.tax_included,
      'valid_from', ${instantSql('p.valid_from')}, 'valid_until', ${instantSql('p.valid_until')},
      'created_at', ${instantSql('p.created_at')}, 'updated_at', ${instantSql('p.updated_at')}) AS data, at
  FROM (
    SELECT (given ->> 'at')::timestamptz AS at, (given ->> 'xid')::xid AS xid, (given ->> 'first')::bigint AS first, (given ->> 'last')::bigint AS last
    FROM given WHERE given ? 'xid' OFFSET 0
  ) AS traced CROSS JOIN LATERAL (
    SELECT p.*, l.code, l.currency, l.tax_included FROM prices p JOIN price_lists l ON l.tenant_id = p.tenant_id AND l.id = p.list_id
    WHERE p.tenant_id = $1 AND p.id BETWEEN traced.first AND traced.last AND p.xmin = traced.xid OFFSET 0
  ) AS p ORDER BY p.id`;

export const importedPriceEventsSql = `(${toldEventsSql}) UNION ALL (${tracedEventsSql})`;
