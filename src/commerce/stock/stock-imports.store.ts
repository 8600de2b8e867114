import {
  chunkRowsSql,
  chunkValues,
  inChunks,
  insertEventSetSql,
  type ImportChunk,
  type RefusedRow,
  type StoredRecords,
  type SurveyedChunk,
} from '#src/imports/targets/target.ts';
import { instantSql } from '#src/infra/postgres/statements/instants.ts';
import { expectsMany, planBy } from '#src/infra/postgres/statements/plans.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import { insertEventsSql } from '#src/journal/outbox/outbox.ts';
import { stockLow } from './stock.declarations.ts';
import { maxLocations, tooManyLocations } from './stock.inputs.ts';
import { appendMovementsSql, lockSoldSql, type Place } from './stock.store.ts';

// Statements that merge stock files in sets. A million rows are a hundred chunks, and each of these statements runs once for each chunk.

const rows = chunkRowsSql({ sku: 'c1', location: 'c2', quantity: 'c3::numeric' });

/** $5: the basis of the quantities; $6: the moment of the count, on top of which later movements are added. */
const listOptions = ({ options: { quantityBasis, asOf } }: Pick<ImportChunk, 'options'>): unknown[] => [
  quantityBasis,
  asOf,
];

// Joined row by row: OFFSET 0 keeps the planner from reversing the join. On tables that have grown since they were last analysed it would,
// and a chunk would take minutes (docs/decisions/system-role-plans-by-key.md).
const balanceSql = (row: string): string => `LATERAL (SELECT on_hand, reserved, reorder_point FROM stock_balances
  WHERE tenant_id = $1 AND sku = ${row}.sku AND location = ${row}.location OFFSET 0) AS b`;
const besideBalances = `${rows} AS r LEFT JOIN ${balanceSql('r')} ON true`;
const isSold = '(SELECT true FROM products p WHERE p.tenant_id = $1 AND p.sku = r.sku) IS NOT NULL';

const sinceSql = (place: string, asOf: string): string => `CASE WHEN ${asOf}::timestamptz IS NULL THEN 0 ELSE (
  SELECT coalesce(sum(m.delta), 0) FROM stock_movements m WHERE m.tenant_id = $1 AND m.sku = ${place}.sku
    AND m.location = ${place}.location AND m.occurred_at > ${asOf}::timestamptz) END`;

/** SQL for the quantity that row r sets at its place, whose balance is b. */
const wantedSql = `r.quantity + CASE WHEN $5::text = 'available' THEN coalesce(b.reserved, 0) ELSE 0 END + ${sinceSql('r', '$6')}`;

/** The rows of a chunk with the given numbers, which the survey found to change something. */
const dueSql = (numbers: string): string => `(SELECT * FROM ${rows} AS r WHERE r.n = ANY(${numbers}::int[])) AS r`;
const due = dueSql('$7');

/** Stored counts in the form of rows: the quantities on hand of articles with a product. */
export const storedCounts: StoredRecords = {
  sql: `SELECT sku, location, on_hand FROM stock_balances WHERE has_product`,
  values: [{ name: 'quantity', mayDiffer: true }],
};

/**
 * Compares all rows with the balances and the articles, in whole-table joins: by key, each row would cost three lookups. Rows that are
 * missing from the result are refused.
 */
export async function surveyCounts(tx: Tx, chunk: ImportChunk, size: number): Promise<SurveyedChunk[]> {
  await planBy(tx, 'tables');
  const found = await tx.query<SurveyedChunk & { chunk: number }>({
    text: `SELECT (n - 1 - $3) / $7::int AS chunk, count(*) AS accepted, count(*) FILTER (WHERE on_hand = wanted) AS unchanged,
        array_agg(n) FILTER (WHERE is_sold AND on_hand <> wanted AND wanted >= 0)::text AS due,
        count(*) FILTER (WHERE is_sold AND is_fresh AND wanted > 0) AS fresh
      FROM (
        SELECT r.n, p.sku IS NOT NULL AS is_sold, b.on_hand IS NULL AS is_fresh,
          CASE WHEN p.sku IS NOT NULL THEN coalesce(b.on_hand, 0) END AS on_hand, ${wantedSql} AS wanted
        FROM ${rows} AS r
        LEFT JOIN stock_balances b ON b.tenant_id = $1 AND b.sku = r.sku AND b.location = r.location
        LEFT JOIN products p ON p.tenant_id = $1 AND p.sku = r.sku
      ) AS compared GROUP BY 1`,
    values: [...chunkValues(chunk), ...listOptions(chunk), size],
  });
  await planBy(tx, 'keys');
  return inChunks(chunk, size, found.rows);
}

export async function readAdjustments(
  tx: Tx,
  chunk: ImportChunk,
): Promise<{ n: number; line: number; sku: string; location: string; quantity: string }[]> {
  const found = await tx.query<{ n: number; line: number; sku: string; location: string; quantity: string }>({
    name: 'read-stock-adjustments',
    text: `SELECT n, line, sku, location, quantity::text FROM ${rows} AS r ORDER BY n`,
    values: chunkValues(chunk),
  });
  return found.rows;
}

/** Places of the rows with expired reservations. Few reservations are expired, so these are read first. */
export async function findExpiredPlaces(tx: Tx, chunk: ImportChunk): Promise<Place[]> {
  const found = await tx.query<Place>({
    name: 'find-expired-places',
    text: `WITH expired AS MATERIALIZED (
        SELECT DISTINCT sku, location FROM stock_reservations WHERE tenant_id = $1 AND expires_at <= statement_timestamp()
      )
      SELECT DISTINCT r.sku, r.location FROM ${rows} AS r WHERE EXISTS (SELECT FROM expired) AND (r.sku, r.location) IN (SELECT * FROM expired)
      LIMIT 10000`,
    values: chunkValues(chunk),
  });
  return found.rows;
}

/** Creates the balances of places that are counted for the first time, within the limits of `makeBalances`. */
export async function makeCounted(tx: Tx, chunk: ImportChunk, numbers: string): Promise<void> {
  await tx.query({
    name: 'make-counted-balances',
    text: `INSERT INTO stock_balances (tenant_id, sku, location) SELECT $1, sku, location FROM (
        SELECT sku, location, row_number() OVER (PARTITION BY sku ORDER BY location) AS ordinal
        FROM (${lockSoldSql(
          `SELECT r.sku, r.location FROM ${due} LEFT JOIN ${balanceSql('r')} ON true WHERE b.on_hand IS NULL AND ${wantedSql} > 0`,
        )}) AS sold
      ) AS wanted
      WHERE ordinal <= ${maxLocations} - (SELECT count(*) FROM stock_balances b WHERE b.tenant_id = $1 AND b.sku = wanted.sku)
      ORDER BY sku, location ON CONFLICT DO NOTHING`,
    values: [...chunkValues(chunk), ...listOptions(chunk), numbers],
  });
}

type CountFault = 'sku' | 'quantity' | 'location';
const reasons: Record<CountFault, string> = {
  sku: 'There is no product with this SKU.',
  quantity: 'With the movements since then, less than 0 would be on hand.',
  location: tooManyLocations,
};

/** Rows of articles without a product, rows that would leave a negative quantity, and rows that could get no balance. */
export async function findRefusedCounts(tx: Tx, chunk: ImportChunk): Promise<RefusedRow[]> {
  const found = await tx.query<{ n: number; field: CountFault }>({
    name: 'find-refused-counts',
    text: `SELECT * FROM (
        SELECT r.n, CASE WHEN NOT ${isSold} THEN 'sku' WHEN ${wantedSql} < 0 THEN 'quantity'
          WHEN b.on_hand IS NULL AND ${wantedSql} > 0 THEN 'location' END AS field
        FROM ${besideBalances}) AS judged
      WHERE field IS NOT NULL`,
    values: [...chunkValues(chunk), ...listOptions(chunk)],
  });
  return found.rows.map(({ n, field }) => ({ n, field, reason: reasons[field] }));
}

/** Locks the balances of the rows with the given numbers, or `all`, in the same order as every transaction that locks balances. */
export async function lockCounted(tx: Tx, chunk: ImportChunk, numbers: string): Promise<void> {
  const lockSql = (given: string): string => `
    SELECT count(*) FROM (SELECT sku, location FROM ${given} ORDER BY sku, location) AS r CROSS JOIN LATERAL (
      SELECT FROM stock_balances WHERE tenant_id = $1 AND sku = r.sku AND location = r.location FOR UPDATE
    ) AS held`;
  await tx.query(
    numbers === 'all'
      ? { name: 'lock-all-counted-balances', text: lockSql(`${rows} AS r`), values: chunkValues(chunk) }
      : { name: 'lock-counted-balances', text: lockSql(dueSql('$5')), values: [...chunkValues(chunk), numbers] },
  );
}

/**
 * For each row of `counted` (reference, line, sku, location, wanted) whose quantity plus `basis` differs from the balance b: sets the
 * balance, and writes the movement and its event; `moment` is an instant as SQL. Returns how many. Balances are updated in the same order
 * as every transaction locks them, and earlier commits of others are seen. A balance stores the quantity before its count, from which the
 * movement's delta is computed: locking and reading it first would double the cost. From Postgres 18 on, RETURNING provides it.
 */
const writeCountsSql = ({ counted, basis, moment }: { counted: string; basis: string; moment: string }): string => `
  WITH changed AS MATERIALIZED (
    UPDATE stock_balances AS b SET on_hand = c.wanted + ${basis}, counted_from = b.on_hand
    FROM (SELECT * FROM (${counted}) AS c ORDER BY sku, location OFFSET 0) AS c
    WHERE b.tenant_id = $1 AND b.sku = c.sku AND b.location = c.location AND b.on_hand <> c.wanted + ${basis}
    RETURNING c.reference, c.line, c.sku, c.location, b.counted_from, b.on_hand, b.reserved, b.reorder_point
  ), given AS MATERIALIZED (
    SELECT nextval('stock_movements_id_seq') AS id, sku, location, 'count' AS kind, on_hand AS quantity, on_hand - counted_from AS delta,
      0::numeric AS reserved_delta, reference, NULL::text AS note, NULL::text AS reservation, NULL::timestamptz AS expires_at,
      date_trunc('milliseconds', coalesce(${moment}::timestamptz, now())) AS occurred_at,
      date_trunc('milliseconds', clock_timestamp()) AS created_at, line, on_hand, counted_from, reserved, reorder_point FROM changed
  ), told AS (${insertEventSetSql('stock', {
    data: `jsonb_build_object('job', $2::bigint, 'from', min(id), 'to', max(id), 'first_line', min(line), 'last_line', max(line),
      'reserved', jsonb_object_agg(id, reserved) FILTER (WHERE reserved <> 0))`,
    source: 'given',
  })}
  ), published AS (${insertEventsSql(`(
      SELECT $1 AS tenant_id, '${stockLow.name}' AS topic, jsonb_build_object('sku', sku, 'location', location,
        'available', trim_scale(on_hand - reserved)::text, 'reorder_point', trim_scale(reorder_point)::text) AS data,
        '{}'::jsonb AS metadata
      FROM given WHERE counted_from - reserved >= reorder_point AND on_hand - reserved < reorder_point) AS event`)}
  ), appended AS (${appendMovementsSql('given')} RETURNING id)
  SELECT count(*) AS written FROM appended`;

/**
 * The movements of a set as `stock.changed` describes them; counts do not change reserved quantities. The parts of the set are extracted
 * once: for each row, it would be unpacked again. Chunks that are merged concurrently have interleaved ids, but different lines.
 */
export const countedEventsSql = `
  SELECT jsonb_build_object('sku', sku, 'location', location, 'on_hand', trim_scale(quantity)::text,
      'reserved', trim_scale(reserved)::text, 'available', trim_scale(quantity - reserved)::text,
      'movement', jsonb_build_object('id', id, 'sku', sku, 'location', location, 'kind', kind,
        'quantity', trim_scale(quantity)::text, 'delta', trim_scale(delta)::text, 'reserved_delta', '0', 'reference', reference,
        'note', note, 'reservation', reservation, 'expires_at', expires_at, 'occurred_at', ${instantSql('occurred_at')},
        'created_at', ${instantSql('created_at')})) AS data, created_at AS at
  FROM (
    SELECT m.*, coalesce((told.reserved ->> m.id::text)::numeric, 0) AS reserved
    FROM (
      SELECT (given ->> 'job') AS job, (given ->> 'from')::bigint AS first, (given ->> 'to')::bigint AS last,
        (given ->> 'first_line')::int AS first_line, (given ->> 'last_line')::int AS last_line, given -> 'reserved' AS reserved
      FROM given OFFSET 0
    ) AS told CROSS JOIN LATERAL (
      SELECT * FROM stock_movements WHERE tenant_id = $1 AND id >= told.first AND id <= told.last
        AND reference LIKE 'import:' || told.job || ':%'
        AND CASE WHEN told.first_line IS NULL THEN true
          ELSE split_part(reference, ':', 3)::int BETWEEN told.first_line AND told.last_line END OFFSET 0
    ) AS m
  ) AS counted ORDER BY id`;

const importReference = `'import:' || $2::bigint || ':' || r.line AS reference, r.line`;
// $7: the numbers of refused rows; $8: those that change something.
const isTaken = 'r.n <> ALL ($7::int[])';
const writeNowSql = (given: string): string =>
  writeCountsSql({
    counted: `SELECT ${importReference}, r.sku, r.location, r.quantity AS wanted FROM ${given} WHERE ${isTaken}`,
    basis: `CASE WHEN $5::text = 'available' THEN b.reserved ELSE 0 END`,
    moment: '$6',
  });
const writeNow = writeNowSql(dueSql('$8'));
const writeAllNow = writeNowSql(`${rows} AS r`);
// Adds up the movements since then; the balances are locked.
const writeAsOfSql = writeCountsSql({
  counted: `SELECT ${importReference}, r.sku, r.location, ${wantedSql} AS wanted FROM ${dueSql('$8')} CROSS JOIN ${balanceSql('r')}
    WHERE ${isTaken}`,
  basis: '0',
  moment: '$6',
});

/** True if the planner finds balances by key while they are updated. Otherwise it joins whole tables, and they must be locked first. */
export const areFoundByKey = (tx: Tx): Promise<boolean> => expectsMany(tx, 'stock_balances');

/** Books like `writeCounts`. A join of whole tables does not visit balances in the order in which they are locked. */
export async function writeLockedCounts(...[tx, chunk, which]: Parameters<typeof writeCounts>): Promise<number> {
  await planBy(tx, 'tables');
  const written = await writeCounts(tx, chunk, which);
  await planBy(tx, 'keys');
  return written;
}

/**
 * Books the counts of the rows with the given numbers, or `all`, except the refused ones; for a past moment, their balances must be locked.
 */
export async function writeCounts(
  tx: Tx,
  chunk: ImportChunk,
  { numbers, refused }: { numbers: string; refused: readonly RefusedRow[] },
): Promise<number> {
  const values = [...chunkValues(chunk), ...listOptions(chunk), refused.map(({ n }) => n)];
  const found = await tx.query<{ written: number }>(
    numbers === 'all'
      ? { text: writeAllNow, values }
      : { text: chunk.options.asOf === null ? writeNow : writeAsOfSql, values: [...values, numbers] },
  );
  return found.rows[0]?.written ?? 0;
}

/** Balances that one transaction zeroes. */
const absentAtOnce = 5_000;

/**
 * Finds the next balances, at the locations that the job names, of articles that none of its rows names there. `last` is where the next
 * batch begins.
 */
export async function findAbsent(
  tx: Tx,
  { tenantId, jobId, options }: Omit<ImportChunk, 'after' | 'upTo'>,
  after: string | null,
): Promise<{ last: string | null; places: string | null }> {
  const [sku, location] = after === null ? ['', ''] : (JSON.parse(after) as [string, string]);
  // Compared in a whole-table join: by key, each balance would scan all rows of the file.
  await planBy(tx, 'tables');
  const found = await tx.query<{ last: string | null; places: string | null }>({
    name: 'find-absent-balances',
    text: `WITH absent AS MATERIALIZED (
        SELECT b.sku, b.location FROM stock_balances b
        JOIN (SELECT DISTINCT c2 AS location FROM import_rows WHERE tenant_id = $1 AND job_id = $2) AS named USING (location)
        WHERE b.tenant_id = $1 AND (b.sku, b.location) > ($3, $4)
          AND b.on_hand <> CASE WHEN $5::text = 'available' THEN b.reserved ELSE 0 END
          AND NOT EXISTS (
            SELECT FROM import_rows r WHERE r.tenant_id = $1 AND r.job_id = $2 AND r.c1 = b.sku AND r.c2 = b.location)
        ORDER BY b.sku, b.location LIMIT ${absentAtOnce}
      )
      SELECT (SELECT jsonb_build_array(sku, location)::text FROM absent ORDER BY sku DESC, location DESC LIMIT 1) AS last,
        (SELECT jsonb_agg(a)::text FROM absent a) AS places`,
    values: [tenantId, jobId, sku, location, options.quantityBasis],
  });
  await planBy(tx, 'keys');
  return found.rows[0] ?? { last: null, places: null };
}

/** Books a count of zero at each of the places. */
export async function writeAbsentCounts(
  tx: Tx,
  { tenantId, jobId, options }: Omit<ImportChunk, 'after' | 'upTo'>,
  places: string,
): Promise<number> {
  const found = await tx.query<{ written: number }>({
    text: writeCountsSql({
      counted: `SELECT 'import:' || $2::bigint || ':absent:' || location || ':' || sku AS reference, NULL::int AS line, sku, location, 0 AS wanted
        FROM jsonb_to_recordset($5::jsonb) AS a(sku text, location text)`,
      basis: `CASE WHEN $3::text = 'available' THEN b.reserved ELSE 0 END`,
      moment: '$4',
    }),
    values: [tenantId, jobId, options.quantityBasis, options.asOf, places],
  });
  return found.rows[0]?.written ?? 0;
}
