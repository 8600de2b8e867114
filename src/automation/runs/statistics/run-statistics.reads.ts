import { ValidationError } from '#src/infra/errors.ts';
import type { Database } from '#src/infra/postgres/database.ts';
import { SqlParameters } from '#src/infra/postgres/lists/sql-parameters.ts';
import { sqlState } from '#src/infra/postgres/sql-errors.ts';
import { type Grouping, hourBounds, type StatisticsRange } from './run-statistics.rules.ts';

export interface StatisticsFilter {
  workflowId?: bigint | null;
  triggerType?: string | null;
}

export interface RunCounts {
  succeeded: number;
  failed: number;
  cancelled: number;
  /** Of those that succeeded or failed; null where there is none. */
  p50Ms: number | null;
  p95Ms: number | null;
  maxMs: number | null;
}

export interface RunBucket extends RunCounts {
  /** Epoch milliseconds, half open. */
  from: number;
  until: number;
}

export interface RunSeries {
  /** The id of the workflow or the trigger type; empty for all runs. */
  key: string;
  total: RunCounts;
  buckets: RunBucket[];
}

/** At most this many groups are returned, those with the most runs. */
export const maxGroups = 10;

const none: RunCounts = { succeeded: 0, failed: 0, cancelled: 0, p50Ms: null, p95Ms: null, maxMs: null };

/** Runs by when they ended. Without a grouping there is one series; with one, a series for each group that has runs. */
export async function readRunStatistics(
  database: Database,
  tenantId: string,
  filter: StatisticsFilter,
  range: StatisticsRange,
  grouping: Grouping | null,
): Promise<RunSeries[]> {
  const bounds = range.interval === 'hour' ? hourBounds(range) : await dayBounds(database, tenantId, range);
  const rows = await countRuns(database, tenantId, filter, bounds, grouping);
  const series = new Map<string, RunSeries>();
  // The first row of each group is its total.
  for (const { key, bucket, ...counts } of rows) {
    if (bucket === null) series.set(key, { key, total: counts, buckets: emptyBuckets(bounds) });
    else Object.assign(series.get(key)?.buckets[bucket] as RunBucket, counts);
  }
  if (grouping === null && series.size === 0) return [{ key: '', total: none, buckets: emptyBuckets(bounds) }];
  return [...series.values()];
}

const emptyBuckets = (bounds: number[]): RunBucket[] =>
  bounds.slice(1).map((until, index) => ({ from: bounds[index] as number, until, ...none }));

type CountedRow = RunCounts & { key: string; bucket: number | null };

const keySql: Record<Grouping, string> = { workflow: 'workflow_id::text', trigger_type: 'trigger_type' };

/** Rollups and the changes that are not added to them yet are read in one statement, and so each run once. */
async function countRuns(
  database: Database,
  tenantId: string,
  filter: StatisticsFilter,
  bounds: number[],
  grouping: Grouping | null,
): Promise<CountedRow[]> {
  const parameters = new SqlParameters();
  const tenant = parameters.add(tenantId);
  const instants = parameters.add(bounds.map((bound) => new Date(bound)));
  const [first, last] = [bounds[0], bounds.at(-1)].map((bound) => parameters.add(new Date(bound as number)));
  const where = [`tenant_id = ${tenant}`, `slot >= ${first}`, `slot < ${last}`];
  if (filter.workflowId != null) where.push(`workflow_id = ${parameters.add(filter.workflowId)}`);
  if (filter.triggerType != null) where.push(`trigger_type = ${parameters.add(filter.triggerType)}`);
  const from = (table: string) =>
    `SELECT slot, workflow_id, trigger_type, status, duration_ms, runs FROM ${table} WHERE ${where.join(' AND ')}`;
  return database.tenantQuery<CountedRow>(tenantId, {
    text: `
      WITH counted AS MATERIALIZED (
        SELECT ${grouping === null ? `''` : keySql[grouping]} AS key, width_bucket(slot, ${instants}::timestamptz[]) - 1 AS bucket,
          duration_ms, sum(runs) FILTER (WHERE status = 'succeeded') AS succeeded, sum(runs) FILTER (WHERE status = 'failed') AS failed,
          sum(runs) FILTER (WHERE status = 'cancelled') AS cancelled, coalesce(sum(runs) FILTER (WHERE status <> 'cancelled'), 0) AS timed
        FROM (${from('run_rollups')} UNION ALL ${from('run_rollup_changes')}) AS rolled GROUP BY 1, 2, 3
      ), largest AS MATERIALIZED (
        SELECT key, rank() OVER (ORDER BY total DESC, key) AS place FROM (
          SELECT key, sum(timed + coalesce(cancelled, 0)) AS total FROM counted GROUP BY key
        ) AS totals WHERE total > 0 ORDER BY place LIMIT ${maxGroups}
      ), stepped AS (
        SELECT key, bucket, duration_ms, sum(succeeded) AS succeeded, sum(failed) AS failed, sum(cancelled) AS cancelled, sum(timed) AS timed
        FROM counted WHERE key IN (SELECT key FROM largest) GROUP BY GROUPING SETS ((key, bucket, duration_ms), (key, duration_ms))
      ), ranked AS (
        SELECT *, sum(timed) OVER (PARTITION BY key, bucket ORDER BY duration_ms) AS up_to,
          sum(timed) OVER (PARTITION BY key, bucket) AS of_all FROM stepped
      )
      SELECT key, bucket, coalesce(sum(succeeded), 0)::bigint AS succeeded, coalesce(sum(failed), 0)::bigint AS failed,
        coalesce(sum(cancelled), 0)::bigint AS cancelled, min(duration_ms) FILTER (WHERE timed > 0 AND up_to * 2 >= of_all) AS "p50Ms",
        min(duration_ms) FILTER (WHERE timed > 0 AND up_to * 20 >= of_all * 19) AS "p95Ms", max(duration_ms) FILTER (WHERE timed > 0) AS "maxMs"
      FROM ranked JOIN largest USING (key) GROUP BY key, place, bucket ORDER BY place, bucket NULLS FIRST`,
    values: parameters.values,
  });
}

/** The instants between the days of the zone that the range touches. A day with a clock change has 23 or 25 hours, or half of one more or less. */
async function dayBounds(database: Database, tenantId: string, range: StatisticsRange): Promise<number[]> {
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
