import type { Database } from '#src/infra/postgres/database.ts';
import { bucketBounds, bucketedSql, bucketValues, countRows, readBuckets } from '#src/infra/postgres/time-buckets.ts';
import { type Series, type StatisticsRange, toSeries } from '#src/infra/time-buckets.ts';

export interface ImportCounts {
  unfinished: number;
  completed: number;
  failed: number;
  cancelled: number;
  rowsRead: number;
  rowsWritten: number;
  rowsUnchanged: number;
  rowsRejected: number;
}

/** More than there are targets. */
const maxTargets = 20;

type Row = ImportCounts & { key: string; bucket: number | null };

const none: ImportCounts = {
  unfinished: 0,
  completed: 0,
  failed: 0,
  cancelled: 0,
  rowsRead: 0,
  rowsWritten: 0,
  rowsUnchanged: 0,
  rowsRejected: 0,
};

/** Imports by when they were started, a series for each target; dry runs are not counted. */
export async function readImportStatistics(
  database: Database,
  tenantId: string,
  { target, profile }: { target?: string | null; profile?: string | null },
  range: StatisticsRange,
): Promise<Series<ImportCounts>[]> {
  const bounds = await bucketBounds(database, tenantId, range);
  const rows = await readBuckets<Row>(database, tenantId, {
    text: bucketedSql(
      `SELECT target AS key, created_at AS at, status, rows_read, rows_written, rows_unchanged, rows_rejected FROM bulk_jobs
       WHERE tenant_id = $1 AND created_at >= $3 AND created_at < $4 AND kind = 'import' AND NOT dry_run
         AND ($5::text IS NULL OR target = $5) AND ($6::text IS NULL OR profile_name = $6)`,
      {
        unfinished: countRows(`status IN ('queued', 'running')`),
        ...Object.fromEntries(
          ['completed', 'failed', 'cancelled'].map((status) => [status, countRows(`status = '${status}'`)]),
        ),
        rowsRead: { sql: 'sum(rows_read)', type: 'bigint' },
        rowsWritten: { sql: 'sum(rows_written)', type: 'bigint' },
        rowsUnchanged: { sql: 'sum(rows_unchanged)', type: 'bigint' },
        rowsRejected: { sql: 'sum(rows_rejected)', type: 'bigint' },
      },
      'key',
      maxTargets,
    ),
    values: [...bucketValues(tenantId, bounds), target ?? null, profile ?? null],
  });
  return toSeries(rows, bounds, readCounts, none);
}

const readCounts = ({ key: _key, bucket: _bucket, ...counts }: Row): ImportCounts => counts;
