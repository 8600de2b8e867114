import { ValidationError } from '#src/infra/errors.ts';
import { hourBounds, type StatisticsRange } from '#src/infra/time-buckets.ts';
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

/**
 * SQL for the counts of each group, in every bucket and in all: `from` is rows with a `key` and an instant `at`, `counts` are aggregates of
 * them. `$1` is the tenant, `$2` the bounds, `$3` and `$4` the first and last of them.
 */
export const bucketedSql = (from: string, counts: string, order: string, maxGroups: number): string => `
  WITH rows AS MATERIALIZED (${from}),
  grouped AS (
    SELECT key, bucket, ${counts} FROM (SELECT *, width_bucket(at, $2::timestamptz[]) - 1 AS bucket FROM rows) AS placed
    GROUP BY GROUPING SETS ((key, bucket), (key))
  ),
  kept AS (SELECT key AS kept_key, row_number() OVER (ORDER BY ${order}) AS position FROM grouped WHERE bucket IS NULL ORDER BY ${order} LIMIT ${maxGroups})
  SELECT grouped.* FROM grouped JOIN kept ON grouped.key = kept_key ORDER BY position`;

/** The first parameters of `bucketedSql`. */
export const bucketValues = (tenantId: string, bounds: readonly number[]): unknown[] => [
  tenantId,
  bounds.map((bound) => new Date(bound)),
  new Date(bounds[0] as number),
  new Date(bounds.at(-1) as number),
];
