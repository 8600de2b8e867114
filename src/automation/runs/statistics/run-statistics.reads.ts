import { rollupDays } from '#src/automation/runs/rollups/run-rollups.store.ts';
import type { Database } from '#src/infra/postgres/database.ts';
import { SqlParameters } from '#src/infra/postgres/lists/sql-parameters.ts';
import { bucketBounds, type CountedSince, withCountedSince } from '#src/infra/postgres/time-buckets.ts';
import type { Series, StatisticsRange, TimeBucket } from '#src/infra/time-buckets.ts';
import type { Grouping } from './run-statistics.rules.ts';
import { type EndStatus, noRuns, type RunCounts, runsIn, RunTally } from './run-tallies.rules.ts';

export interface StatisticsFilter {
  workflowId?: bigint | null;
  triggerType?: string | null;
}

export type RunBucket = RunCounts & TimeBucket;

/** The key is the id of the workflow or the trigger type; empty for all runs. */
export type RunSeries = Series<RunCounts> & CountedSince;

/** At most this many groups are returned, those with the most runs. */
export const maxGroups = 10;

/** Runs by when they ended. Without a grouping there is one series; with one, a series for each group that has runs. */
export async function readRunStatistics(
  database: Database,
  tenantId: string,
  filter: StatisticsFilter,
  range: StatisticsRange,
  grouping: Grouping | null,
): Promise<RunSeries[]> {
  const bounds = await bucketBounds(database, tenantId, range);
  const totals = new Map<string, RunTally>(grouping === null ? [['', new RunTally()]] : []);
  const buckets = new Map<string, RunTally>();
  for (const row of await readRows(database, tenantId, filter, bounds, grouping)) {
    const durations = readNumbers(row.durations);
    const runs = readNumbers(row.runs);
    upsert(totals, row.key).add(row.status, durations, runs);
    upsert(buckets, `${row.bucket}/${row.key}`).add(row.status, durations, runs);
  }
  const series = [...totals]
    .map(([key, tally]) => ({ key, total: tally.counts() }))
    .filter(({ total }) => grouping === null || runsIn(total) > 0)
    .toSorted((one, other) => runsIn(other.total) - runsIn(one.total) || (one.key < other.key ? -1 : 1))
    .slice(0, maxGroups)
    .map((group) => ({
      ...group,
      buckets: bounds.slice(1).map((until, index) => ({
        from: bounds[index] as number,
        until,
        ...(buckets.get(`${index}/${group.key}`)?.counts() ?? noRuns),
      })),
    }));
  return withCountedSince(database, tenantId, series, rollupDays);
}

function upsert(tallies: Map<string, RunTally>, key: string): RunTally {
  const tally = tallies.get(key) ?? new RunTally();
  tallies.set(key, tally);
  return tally;
}

/** Reads an array of Postgres as text, `{1,2}`: its parser in pg takes several times as long for thousands of numbers. */
const readNumbers = (text: string): number[] => text.slice(1, -1).split(',').map(Number);

interface TallyRow {
  key: string;
  bucket: number;
  status: EndStatus;
  durations: string;
  runs: string;
}

const keySql: Record<Grouping, string> = { workflow: 'workflow_id::text', trigger_type: 'trigger_type' };

/**
 * `runs <> 0` has the rollups read from a partial index that holds their counts (22 ms for 10,000 rows of a tenant, 139 ms from the table).
 * Rollups and the changes that are not added to them yet are read in one statement, and so each run once. Percentiles are computed by the
 * caller: with window functions a tenant with 10,000 runs took several times as long.
 */
async function readRows(
  database: Database,
  tenantId: string,
  filter: StatisticsFilter,
  bounds: number[],
  grouping: Grouping | null,
): Promise<TallyRow[]> {
  const parameters = new SqlParameters();
  const tenant = parameters.add(tenantId);
  const instants = parameters.add(bounds.map((bound) => new Date(bound)));
  const [first, last] = [bounds[0], bounds.at(-1)].map((bound) => parameters.add(new Date(bound as number)));
  const where = [`tenant_id = ${tenant}`, `slot >= ${first}`, `slot < ${last}`];
  if (filter.workflowId != null) where.push(`workflow_id = ${parameters.add(filter.workflowId)}`);
  if (filter.triggerType != null) where.push(`trigger_type = ${parameters.add(filter.triggerType)}`);
  const from = (table: string) =>
    `SELECT slot, workflow_id, trigger_type, status, duration_ms, runs FROM ${table} WHERE ${where.join(' AND ')}`;
  return database.tenantQuery<TallyRow>(tenantId, {
    text: `SELECT ${grouping === null ? `''` : keySql[grouping]} AS key, width_bucket(slot, ${instants}::timestamptz[]) - 1 AS bucket, status,
        array_agg(duration_ms)::text AS durations, array_agg(runs)::text AS runs
      FROM (${from('run_rollups')} AND runs <> 0 UNION ALL ${from('run_rollup_changes')}) AS rolled GROUP BY 1, 2, 3`,
    values: parameters.values,
  });
}
