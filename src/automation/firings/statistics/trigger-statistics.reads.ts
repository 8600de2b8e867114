import { defaultRetention } from '#src/automation/retention/retention.rules.ts';
import type { Database } from '#src/infra/postgres/database.ts';
import {
  bucketBounds,
  bucketedSql,
  bucketValues,
  type CountedSince,
  countRows,
  readBuckets,
} from '#src/infra/postgres/time-buckets.ts';
import { type Series, type StatisticsRange, toSeries } from '#src/infra/time-buckets.ts';

export interface FiringCounts {
  unfinished: number;
  succeeded: number;
  failed: number;
  cancelled: number;
  deadLetters: number;
}

export interface Firing {
  firedAt: Date;
  /** One of both is set. */
  runId: number | null;
  deadLetterId: string | null;
}

export interface TriggerStatistics extends Series<FiringCounts>, CountedSince {
  last: Firing[];
}

export interface FiredTrigger {
  id: bigint;
  workflowId: bigint;
}

/** At most this many runs, and dead letters, of the workflow are read, the newest ones. */
export const maxRead = 100_000;

/** At most this many firings are listed. */
export const maxFirings = 50;

type Row = FiringCounts & { key: string; bucket: number | null };

const none: FiringCounts = { unfinished: 0, succeeded: 0, failed: 0, cancelled: 0, deadLetters: 0 };

/**
 * The newest firings of the trigger's workflow. Reruns and test runs are not firings, and a dead letter that was replayed counts as its run. No index has
 * triggers: it would be written with every run, and most workflows have one or two of them.
 */
const newestFirings = (workflow: string, trigger: string): Record<'runs' | 'deadLetters', string> => ({
  runs: `(SELECT id, created_at, status FROM (
      SELECT id, trigger_id, rerun_of_id, is_test, created_at, status FROM runs WHERE tenant_id = $1 AND workflow_id = ${workflow} ORDER BY id DESC LIMIT ${maxRead}
    ) AS newest WHERE trigger_id = ${trigger} AND rerun_of_id IS NULL AND NOT is_test)`,
  deadLetters: `(SELECT id, created_at, 'dead_letter' AS status FROM (
      SELECT id, trigger_id, created_at, status FROM dead_letters WHERE tenant_id = $1 AND workflow_id = ${workflow} ORDER BY id DESC LIMIT ${maxRead}
    ) AS newest WHERE trigger_id = ${trigger} AND status <> 'replayed')`,
});

/** The firings of a trigger that are kept, by when they fired, and the last of them. */
export async function readTriggerStatistics(
  database: Database,
  tenantId: string,
  trigger: FiredTrigger,
  range: StatisticsRange,
  first: number,
): Promise<TriggerStatistics> {
  const bounds = await bucketBounds(database, tenantId, range);
  const { runs, deadLetters } = newestFirings('$5', '$6');
  const values = [...bucketValues(tenantId, bounds), trigger.workflowId, trigger.id];
  const rows = await readBuckets<Row>(database, tenantId, {
    text: bucketedSql(
      `SELECT '' AS key, created_at AS at, status FROM (SELECT * FROM ${runs} AS r UNION ALL SELECT * FROM ${deadLetters} AS d) AS fired
       WHERE created_at >= $3 AND created_at < $4`,
      {
        unfinished: countRows(`status IN ('queued', 'running', 'waiting')`),
        ...Object.fromEntries(
          ['succeeded', 'failed', 'cancelled'].map((status) => [status, countRows(`status = '${status}'`)]),
        ),
        deadLetters: countRows(`status = 'dead_letter'`),
      },
      'key',
      1,
    ),
    values,
  });
  const [series] = toSeries(rows, bounds, readCounts, none);
  const [empty] = toSeries([{ key: '', bucket: null, ...none }], bounds, readCounts, none);
  return {
    ...((series ?? empty) as Series<FiringCounts>),
    countedSince: await findLimit(database, tenantId, trigger, new Date(bounds[0] as number)),
    last: await readLast(database, tenantId, trigger, first),
  };
}

const readCounts = ({ key: _key, bucket: _bucket, ...counts }: Row): FiringCounts => counts;

/**
 * The instant since which every firing of the range is counted, if that is not its start: the time of the oldest run or dead letter that is
 * read, or that since which retention keeps them. Runs and dead letters are deleted some days after they ended, so all that began since are there.
 */
async function findLimit(
  database: Database,
  tenantId: string,
  { workflowId }: FiredTrigger,
  from: Date,
): Promise<Date | null> {
  const oldest = (table: string) =>
    `(SELECT created_at FROM ${table} WHERE tenant_id = $1 AND workflow_id = $2 ORDER BY id DESC OFFSET ${maxRead - 1} LIMIT 1)`;
  const [row] = await database.tenantQuery<{ limit: Date | null }>(tenantId, {
    name: 'trigger-statistics-limit',
    text: `SELECT greatest(${oldest('runs')}, ${oldest('dead_letters')}, now() - days * interval '1 day') AS limit FROM (
        SELECT least(
          CASE WHEN s.tenant_id IS NULL THEN $3::int ELSE s.run_days END,
          (SELECT (blob #>> '{settings,retention_days}')::int FROM workflows WHERE tenant_id = $1 AND id = $2)
        ) AS days FROM (SELECT $1::text AS id) AS tenant LEFT JOIN retention_settings s ON s.tenant_id = tenant.id
      ) AS kept`,
    values: [tenantId, workflowId, defaultRetention.runDays],
  });
  return row?.limit && row.limit > from ? row.limit : null;
}

async function readLast(
  database: Database,
  tenantId: string,
  { id, workflowId }: FiredTrigger,
  first: number,
): Promise<Firing[]> {
  const { runs, deadLetters } = newestFirings('$2', '$3');
  const newest = 'ORDER BY id DESC LIMIT $4';
  return database.tenantQuery<Firing & Record<string, unknown>>(tenantId, {
    name: 'trigger-statistics-last',
    text: `SELECT * FROM (
        (SELECT created_at AS "firedAt", id AS "runId", NULL AS "deadLetterId" FROM ${runs} AS r ${newest}) UNION ALL
        (SELECT created_at, NULL, id::text FROM ${deadLetters} AS d ${newest})
      ) AS fired ORDER BY "firedAt" DESC, "runId" DESC LIMIT $4`,
    values: [tenantId, workflowId, id, first],
  });
}
