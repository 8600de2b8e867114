import { chunkRowsSql, chunkValues, type ImportChunk, type RefusedRow } from '#src/imports/targets/target.ts';
import { instantSql } from '#src/infra/postgres/instants.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import { insertEventsSql } from '#src/journal/outbox/outbox.ts';
import { mostLocations, tooManyLocations } from './stock.inputs.ts';
import { appendMovementsSql, type Place, setBalancesSql } from './stock.store.ts';
import { stockChanged, stockLow } from './stock.topics.ts';

// What files say, merged in sets. A million rows are a hundred chunks, and each of these statements runs once a chunk.

const rows = chunkRowsSql({ sku: 'cells[1]', location: 'cells[2]', quantity: 'cells[3]::numeric' });

/** $5: the basis of the quantities; $6: the moment they speak of, whose later movements stay on top of them. */
const optionsOf = ({ options: { quantityBasis, asOf } }: Pick<ImportChunk, 'options'>): unknown[] => [
  quantityBasis,
  asOf,
];

// Joined row by row, as OFFSET 0 keeps the planner from turning the join around: it does so on tables that have grown since they
// were last analysed, and a chunk then takes minutes (docs/decisions/keyed-plans.md).
const balanceOf = (row: string): string => `LATERAL (SELECT on_hand, reserved, reorder_point FROM stock_balances
  WHERE tenant_id = $1 AND sku = ${row}.sku AND location = ${row}.location OFFSET 0) AS b`;
const besideBalances = `${rows} AS r LEFT JOIN ${balanceOf('r')} ON true`;
const isSold = '(SELECT true FROM products p WHERE p.tenant_id = $1 AND p.sku = r.sku) IS NOT NULL';

const sinceSql = (place: string, asOf: string): string => `CASE WHEN ${asOf}::timestamptz IS NULL THEN 0 ELSE (
  SELECT coalesce(sum(m.delta), 0) FROM stock_movements m WHERE m.tenant_id = $1 AND m.sku = ${place}.sku
    AND m.location = ${place}.location AND m.occurred_at > ${asOf}::timestamptz) END`;

/** What is to be on hand at the place of row r, whose balance is b. */
const wantedSql = `r.quantity + CASE WHEN $5::text = 'available' THEN coalesce(b.reserved, 0) ELSE 0 END + ${sinceSql('r', '$6')}`;

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

export async function findExpiredPlaces(tx: Tx, chunk: ImportChunk): Promise<Place[]> {
  const found = await tx.query<Place>({
    name: 'find-expired-places',
    text: `SELECT DISTINCT r.sku, r.location FROM ${besideBalances} CROSS JOIN LATERAL (
        SELECT expires_at FROM stock_reservations WHERE tenant_id = $1 AND sku = r.sku AND location = r.location OFFSET 0
      ) AS h
      WHERE b.reserved > 0 AND h.expires_at <= statement_timestamp()`,
    values: chunkValues(chunk),
  });
  return found.rows;
}

/** Makes the balances of places that are counted for the first time, as far as `makeBalances` would. */
export async function makeCounted(tx: Tx, chunk: ImportChunk): Promise<void> {
  await tx.query({
    name: 'make-counted-balances',
    text: `INSERT INTO stock_balances (tenant_id, sku, location) SELECT $1, sku, location FROM (
        SELECT r.sku, r.location, row_number() OVER (PARTITION BY r.sku ORDER BY r.location) AS ordinal FROM ${besideBalances}
        WHERE b.on_hand IS NULL AND ${wantedSql} > 0 AND ${isSold}
      ) AS wanted
      WHERE ordinal <= ${mostLocations} - (SELECT count(*) FROM stock_balances b WHERE b.tenant_id = $1 AND b.sku = wanted.sku)
      ORDER BY sku, location ON CONFLICT DO NOTHING`,
    values: [...chunkValues(chunk), ...optionsOf(chunk)],
  });
}

type CountFault = 'sku' | 'quantity' | 'location';
const reasons: Record<CountFault, string> = {
  sku: 'There is no product with this SKU.',
  quantity: 'With the movements since then, less than 0 would be on hand.',
  location: tooManyLocations,
};

/** Rows of articles that are not sold, that would leave less than nothing, or that could get no balance. */
export async function findRefusedCounts(tx: Tx, chunk: ImportChunk): Promise<RefusedRow[]> {
  const found = await tx.query<{ n: number; field: CountFault }>({
    name: 'find-refused-counts',
    text: `SELECT * FROM (
        SELECT r.n, CASE WHEN NOT ${isSold} THEN 'sku' WHEN ${wantedSql} < 0 THEN 'quantity'
          WHEN b.on_hand IS NULL AND ${wantedSql} > 0 THEN 'location' END AS field
        FROM ${besideBalances}) AS judged
      WHERE field IS NOT NULL`,
    values: [...chunkValues(chunk), ...optionsOf(chunk)],
  });
  return found.rows.map(({ n, field }) => ({ n, field, reason: reasons[field] }));
}

/**
 * Locks the balances that the rows do not agree with, in the order of everybody who locks balances, and answers the rows' numbers as the
 * text of an array; null where all agree. Those that agree are not locked, as a lock writes to the row.
 */
export async function lockCounted(tx: Tx, chunk: ImportChunk): Promise<string | null> {
  const found = await tx.query<{ locked: string | null }>({
    name: 'lock-counted-balances',
    text: `WITH differing AS MATERIALIZED (
        SELECT r.n, r.sku, r.location FROM ${besideBalances}
        WHERE b.on_hand <> ${wantedSql} AND ${wantedSql} >= 0 AND ${isSold}
      ), locked AS MATERIALIZED (
        SELECT d.n FROM (SELECT * FROM differing ORDER BY sku, location) AS d CROSS JOIN LATERAL (
          SELECT FROM stock_balances WHERE tenant_id = $1 AND sku = d.sku AND location = d.location FOR UPDATE
        ) AS held
      )
      SELECT array_agg(n)::text AS locked FROM locked`,
    values: [...chunkValues(chunk), ...optionsOf(chunk)],
  });
  return found.rows[0]?.locked ?? null;
}

/**
 * Writes a count for each row of `counted`, which has n, sku, location, reference, wanted, on_hand, reserved and reorder_point, with
 * its balance and its events; `moment` is an instant as SQL. Answers how many.
 */
const writeCountsSql = (counted: string, moment: string): string => `
  WITH counted AS MATERIALIZED (${counted}), given AS MATERIALIZED (
    SELECT nextval('stock_movements_id_seq') AS id, sku, location, 'count' AS kind, wanted AS quantity, wanted - on_hand AS delta,
      0::numeric AS reserved_delta, reference, NULL::text AS note, NULL::text AS reservation, NULL::timestamptz AS expires_at,
      date_trunc('milliseconds', coalesce(${moment}::timestamptz, now())) AS occurred_at,
      date_trunc('milliseconds', clock_timestamp()) AS created_at, on_hand, wanted, reserved, reorder_point FROM counted
  ), balanced AS (${setBalancesSql('(SELECT sku, location, wanted AS on_hand, reserved FROM given) AS n')}
  ), published AS (${insertEventsSql(`(
      SELECT $1 AS tenant_id, '${stockChanged.name}' AS topic, jsonb_build_object('sku', sku, 'location', location,
        'on_hand', trim_scale(wanted)::text, 'reserved', trim_scale(reserved)::text,
        'available', trim_scale(wanted - reserved)::text, 'movement', jsonb_build_object('id', id, 'sku', sku,
          'location', location, 'kind', kind, 'quantity', trim_scale(quantity)::text, 'delta', trim_scale(delta)::text,
          'reserved_delta', '0', 'reference', reference, 'note', note, 'reservation', reservation, 'expires_at', expires_at,
          'occurred_at', ${instantSql('occurred_at')}, 'created_at', ${instantSql('created_at')})) AS data, '{}'::jsonb AS metadata
      FROM given
      UNION ALL SELECT $1, '${stockLow.name}', jsonb_build_object('sku', sku, 'location', location,
        'available', trim_scale(wanted - reserved)::text, 'reorder_point', trim_scale(reorder_point)::text), '{}'::jsonb
      FROM given WHERE on_hand - reserved >= reorder_point AND wanted - reserved < reorder_point) AS event`)}
  ), appended AS (${appendMovementsSql('given')} RETURNING id)
  SELECT count(*) AS written FROM appended`;

/** Books what the rows of the given numbers count; their balances are locked. */
export async function writeCounts(tx: Tx, chunk: ImportChunk, locked: string): Promise<number> {
  const found = await tx.query<{ written: number }>({
    name: 'write-stock-counts',
    text: writeCountsSql(
      `SELECT r.sku, r.location, 'import:' || $2::bigint || ':' || r.line AS reference, ${wantedSql} AS wanted, b.on_hand,
        b.reserved, b.reorder_point
      FROM unnest($7::int[]) AS l(n) CROSS JOIN LATERAL (SELECT * FROM ${rows} AS r WHERE r.n = l.n OFFSET 0) AS r
      CROSS JOIN ${balanceOf('r')}
      WHERE b.on_hand <> ${wantedSql}`,
      '$6',
    ),
    values: [...chunkValues(chunk), ...optionsOf(chunk), locked],
  });
  return found.rows[0]?.written ?? 0;
}

/** Balances that one transaction zeroes. */
const absentAtOnce = 5_000;

/**
 * Finds the next balances at the locations that the job names of articles that none of its rows names there. `last` is where the next
 * part begins.
 */
export async function findAbsent(
  tx: Tx,
  { tenantId, jobId, options }: Omit<ImportChunk, 'after' | 'upTo'>,
  after: string | null,
): Promise<{ last: string | null; places: string | null }> {
  const [sku, location] = after === null ? ['', ''] : (JSON.parse(after) as [string, string]);
  // Compared as a whole: by key, each balance would look through all rows of the file.
  await planFor(tx, { keys: false });
  const found = await tx.query<{ last: string | null; places: string | null }>({
    name: 'find-absent-balances',
    text: `WITH absent AS MATERIALIZED (
        SELECT b.sku, b.location FROM stock_balances b
        JOIN (SELECT DISTINCT cells[2] AS location FROM import_rows WHERE tenant_id = $1 AND job_id = $2) AS named USING (location)
        WHERE b.tenant_id = $1 AND (b.sku, b.location) > ($3, $4)
          AND b.on_hand <> CASE WHEN $5::text = 'available' THEN b.reserved ELSE 0 END
          AND NOT EXISTS (
            SELECT FROM import_rows r WHERE r.tenant_id = $1 AND r.job_id = $2 AND r.cells[1] = b.sku AND r.cells[2] = b.location)
        ORDER BY b.sku, b.location LIMIT ${absentAtOnce}
      )
      SELECT (SELECT jsonb_build_array(sku, location)::text FROM absent ORDER BY sku DESC, location DESC LIMIT 1) AS last,
        (SELECT jsonb_agg(a)::text FROM absent a) AS places`,
    values: [tenantId, jobId, sku, location, options.quantityBasis],
  });
  await planFor(tx, { keys: true });
  return found.rows[0] ?? { last: null, places: null };
}

/** Whether the transaction's statements are planned by key, as they are by default, or over whole tables. */
async function planFor(tx: Tx, { keys }: { keys: boolean }): Promise<void> {
  await tx.query({
    name: 'plan-stock-import',
    text: `SELECT set_config('enable_hashjoin', $1, true), set_config('enable_seqscan', $1, true), set_config('enable_nestloop', $2, true)`,
    values: keys ? ['off', 'on'] : ['on', 'off'],
  });
}

/** Locks the balances of the places, in the order of everybody who locks balances. */
export async function lockAbsent(tx: Tx, tenantId: string, places: string): Promise<void> {
  await tx.query({
    name: 'lock-absent-balances',
    text: `SELECT count(*) FROM (
        SELECT * FROM jsonb_to_recordset($2::jsonb) AS a(sku text, location text) ORDER BY sku, location
      ) AS a CROSS JOIN LATERAL (
        SELECT FROM stock_balances WHERE tenant_id = $1 AND sku = a.sku AND location = a.location FOR UPDATE
      ) AS held`,
    values: [tenantId, places],
  });
}

/** Books a count of zero at each of the locked places. */
export async function writeAbsentCounts(
  tx: Tx,
  { tenantId, jobId, options }: Omit<ImportChunk, 'after' | 'upTo'>,
  places: string,
): Promise<number> {
  const found = await tx.query<{ written: number }>({
    name: 'write-absent-counts',
    text: writeCountsSql(
      `SELECT a.sku, a.location, 'import:' || $2::bigint || ':absent:' || a.location || ':' || a.sku AS reference,
        CASE WHEN $3::text = 'available' THEN b.reserved ELSE 0 END AS wanted, b.on_hand, b.reserved, b.reorder_point
      FROM jsonb_to_recordset($5::jsonb) AS a(sku text, location text) CROSS JOIN ${balanceOf('a')}
      WHERE b.on_hand <> CASE WHEN $3::text = 'available' THEN b.reserved ELSE 0 END`,
      '$4',
    ),
    values: [tenantId, jobId, options.quantityBasis, options.asOf, places],
  });
  return found.rows[0]?.written ?? 0;
}
