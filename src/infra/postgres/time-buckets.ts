import { ValidationError } from '#src/infra/errors.ts';
import { hourBounds, type Series, type StatisticsRange } from '#src/infra/time-buckets.ts';
import type { Database } from './database.ts';
import { sqlState } from './sql-errors.ts';

type Reader = Pick<Database, 'tenantQuery'>;

/** The instants between the hours or days that the range touches, in epoch milliseconds; one more than there are buckets. */
export const bucketBounds = async (database: Reader, tenantId: string, range: StatisticsRange): Promise<number[]> =>
  range.interval === 'hour' ? hourBounds(range) : dayBounds(database, tenantId, range);

/** A day with a clock change has 23 or 25 hours, or half of one more or less. */
async function dayBounds(database: Reader, tenantId: string, range: StatisticsRange): Promise<number[]> {
  const { since, until, timeZone } = range;
  const rows = await database
    .tenantQuery<{ start: Date }>(tenantId, {
      name: 'statistics-days',
      // A date is taken of each half-hour, because midnight may not exist on a day, or twice.
      text: `SELECT min(slot) AS start FROM (
          SELECT slot, (slot AT TIME ZONE $3)::date AS day
          FROM generate_series(date_bin('1 day', $1, 'epoch') - interval '1 day', $2::timestamptz + interval '50 hours', interval '30 minutes') AS slot
        ) AS slots
        WHERE day BETWEEN ($1::timestamptz AT TIME ZONE $3)::date AND (($2::timestamptz - interval '1 ms') AT TIME ZONE $3)::date + 1
        GROUP BY day ORDER BY day`,
      values: [since, until, timeZone],
    })
    .catch((error: unknown) => {
      // A zone that Node knows and Postgres does not.
      if (sqlState(error) === '22023') throw new ValidationError({ timeZone: ['Name another time zone.'] });
      throw error;
    });
  return rows.map(({ start }) => start.getTime());
}

/** An aggregate of the rows of a bucket, whose sum over buckets is that of all rows, and the type in which it is read. */
export interface Count {
  sql: string;
  type: 'bigint' | 'text';
}

export const countRows = (condition = 'true'): Count => ({
  sql: `count(*) FILTER (WHERE ${condition})`,
  type: 'bigint',
});

/**
 * SQL for the counts of each group, in every bucket and in all: `from` is rows with a `key` and an instant `at`, `counts` are aggregates of
 * them by name. The rows are read once and kept nowhere: hundreds of thousands would be sorted, and spilled to disk. `$1` is the tenant,
 * `$2` the bounds, `$3` and `$4` the first and last of them.
 */
export function bucketedSql(from: string, counts: Record<string, Count>, order: string, maxGroups: number): string {
  const list = (write: (name: string, count: Count) => string): string =>
    Object.entries(counts)
      .map(([name, count]) => write(`"${name}"`, count))
      .join(', ');
  const names = list((name) => name);
  return `WITH counted AS MATERIALIZED (
    SELECT key, width_bucket(at, $2::timestamptz[]) - 1 AS bucket, ${list((name, { sql }) => `${sql} AS ${name}`)}
    FROM (${from}) AS rows GROUP BY 1, 2
  ),
  totals AS (
    SELECT *, row_number() OVER (ORDER BY ${order}) AS position
    FROM (SELECT key, ${list((name) => `sum(${name}) AS ${name}`)} FROM counted GROUP BY key) AS summed ORDER BY ${order} LIMIT ${maxGroups}
  )
  SELECT key, bucket, ${list((name, { type }) => `${name}::${type} AS ${name}`)} FROM (
    SELECT key, NULL::int AS bucket, ${names}, position FROM totals
    UNION ALL SELECT counted.key, counted.bucket, ${list((name) => `counted.${name}`)}, position FROM counted JOIN totals USING (key)
  ) AS every ORDER BY position`;
}

/** The first parameters of `bucketedSql`. */
export const bucketValues = (tenantId: string, bounds: readonly number[]): unknown[] => [
  tenantId,
  bounds.map((bound) => new Date(bound)),
  new Date(bounds[0] as number),
  new Date(bounds.at(-1) as number),
];

/** A range with more rows than can be counted in this time is refused, long before the server's own limit ends the statement. */
const limits = { statement_timeout: '10s' };
const canceled = '57014';

/** The rows of a statement of `bucketedSql`. */
export async function readBuckets<Row>(
  database: Reader,
  tenantId: string,
  statement: { text: string; values: unknown[] },
): Promise<Row[]> {
  try {
    return await database.tenantQuery<Row & Record<string, unknown>>(tenantId, { ...statement, settings: limits });
  } catch (error) {
    if (sqlState(error) !== canceled) throw error;
    throw new ValidationError({ filter: ['There is too much to count in time. Choose a shorter range.'] });
  }
}

/** A statistic of rows that are deleted when they are old. */
export interface CountedSince {
  /** Null if everything in the range was counted; otherwise the instant from which it was. */
  countedSince: Date | null;
}

/**
 * Adds to series from when they have all rows, where rows are kept for `days`. Called after the rows were read: what is deleted
 * meanwhile then lies before that instant.
 */
export async function withCountedSince<One extends Series<unknown>>(
  database: Reader,
  tenantId: string,
  series: readonly One[],
  days: number,
): Promise<(One & CountedSince)[]> {
  const from = series[0]?.buckets[0]?.from ?? Date.now();
  // Nearly all ranges are shorter, and need no statement.
  const isLong = from < Date.now() - (days - 1) * 86_400_000;
  const countedSince = isLong ? await findKept(database, tenantId, days, from) : null;
  return series.map((one) => ({ ...one, countedSince }));
}

/** Asks the clock by which retention deletes. */
async function findKept(database: Reader, tenantId: string, days: number, from: number): Promise<Date | null> {
  const [row] = await database.tenantQuery<{ kept: Date }>(tenantId, {
    name: 'statistics-kept',
    text: `SELECT now() - $1 * interval '1 day' AS kept`,
    values: [days],
  });
  return row && row.kept.getTime() > from ? row.kept : null;
}
