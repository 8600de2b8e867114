import type { Deps } from '#src/infra/deps.ts';
import { deadJobsQueue } from '#src/infra/jobs.ts';
import type { Database } from '#src/infra/postgres/database.ts';
import type { Cursors, KeyPage } from '#src/infra/postgres/lists/keyset.ts';
import { SqlParameters } from '#src/infra/postgres/lists/sql-parameters.ts';

/** A job that failed at its last attempt, from the dead-letter queue. */
export interface FailedJob {
  /** Its id in the dead-letter queue. */
  id: string;
  /** The job's name, e.g. `automation.workflow.build`. */
  job: string;
  /** The ids that the job was sent with. */
  payload: Record<string, unknown>;
  error: string;
  attempts: number;
  sentAt: Date;
  failedAt: Date;
}

type Row = FailedJob & { place: number };
/** When it failed, in microseconds since 1970, and its id. */
type Place = [micros: number, id: string];

export const failedJobCursors: Cursors<FailedJob, Place> = {
  write: (job) => `${(job as Row).place}:${job.id}`,
  read(text) {
    const [, micros, id] = /^(\d{1,16}):([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(text) ?? [];
    return id === undefined ? undefined : [Number(micros), id];
  },
};

const maxErrorChars = 2_000;
const columns = `id, source_name AS job, data AS payload, source_retry_count + 1 AS attempts, source_created_on AS "sentAt",
  created_on AS "failedAt", (extract(epoch FROM created_on) * 1000000)::bigint AS place,
  coalesce(source_output ->> 'message', source_output ->> 'value', source_output::text, '') AS error`;
// The jobs that pg-boss itself would send again; a job without a source was put there by hand.
export const waiting = `name = '${deadJobsQueue}' AND state < 'active' AND source_name IS NOT NULL`;

/** All given filters must match. `since` and `until` hold when a job failed, half open. */
export interface FailedJobFilter {
  job?: string | null;
  tenantId?: string | null;
  since?: Date | null;
  until?: Date | null;
}

/** Conditions on `pgboss.job` that hold for the failed jobs within the filter, for a WHERE. */
export function failedJobConditions(
  { job, tenantId, since, until }: FailedJobFilter,
  parameters: SqlParameters,
): string[] {
  const where = [waiting];
  if (job != null) where.push(`source_name = ${parameters.add(job)}`);
  if (tenantId != null) where.push(`data ->> 'tenantId' = ${parameters.add(tenantId)}`);
  if (since) where.push(`created_on >= ${parameters.add(since)}`);
  if (until) where.push(`created_on < ${parameters.add(until)}`);
  return where;
}

const shown = ({ redactor }: Deps, row: Row): Row => ({
  ...row,
  error: redactor.text(row.error).slice(0, maxErrorChars),
});

/** A page of the failed jobs within the filter, newest first. */
export async function listFailedJobs(
  deps: Deps,
  filter: FailedJobFilter,
  { take, skip, backwards, after, before }: KeyPage<Place>,
): Promise<FailedJob[]> {
  const order = backwards ? 'ASC' : 'DESC';
  const parameters = new SqlParameters();
  const where = failedJobConditions(filter, parameters);
  const at = ([micros, id]: Place) =>
    `(timestamptz 'epoch' + ${parameters.add(micros)}::bigint * interval '1 microsecond', ${parameters.add(id)}::uuid)`;
  if (after) where.push(`(created_on, id) < ${at(after)}`);
  if (before) where.push(`(created_on, id) > ${at(before)}`);
  const { rows } = await deps.database.system.query<Row>(
    `SELECT ${columns} FROM pgboss.job WHERE ${where.join(' AND ')}
     ORDER BY created_on ${order}, id ${order} LIMIT ${parameters.add(take)} OFFSET ${parameters.add(skip)}`,
    parameters.values,
  );
  return rows.map((row) => shown(deps, row));
}

export const findFailedJob = async (deps: Deps, id: string): Promise<FailedJob | undefined> =>
  (await findFailedJobs(deps, [id]))[0];

/** The failed jobs with these ids, in any order. */
export async function findFailedJobs(deps: Deps, ids: readonly string[]): Promise<FailedJob[]> {
  const { rows } = await deps.database.system.query<Row>(
    `SELECT ${columns} FROM pgboss.job WHERE ${waiting} AND id = ANY($1::uuid[])`,
    [ids],
  );
  return rows.map((row) => shown(deps, row));
}

/** Failed jobs of all tenants by their name: how many of up to `most` in all, since when, and the id of the newest. */
export async function groupFailedJobs(
  { system }: Database,
  most: number,
): Promise<{ job: string; count: number; since: Date; newest: string }[]> {
  const { rows } = await system.query<{ job: string; count: number; since: Date; newest: string }>(
    `SELECT job, count(*) AS count, min(failed_at) AS since, (array_agg(id ORDER BY failed_at DESC, id DESC))[1] AS newest
     FROM (SELECT id, source_name AS job, created_on AS failed_at FROM pgboss.job WHERE ${waiting} LIMIT $1) AS counted
     GROUP BY job ORDER BY job`,
    [most],
  );
  return rows;
}

/** The number of failed jobs within the filter, up to `most`. */
export async function countFailedJobs({ system }: Database, filter: FailedJobFilter, most: number): Promise<number> {
  const parameters = new SqlParameters();
  const where = failedJobConditions(filter, parameters);
  const { rows } = await system.query<{ count: number }>(
    `SELECT count(*) AS count FROM (SELECT FROM pgboss.job WHERE ${where.join(' AND ')} LIMIT ${parameters.add(most)}) AS counted`,
    parameters.values,
  );
  return rows[0]?.count ?? 0;
}

/** The number of failed jobs with each name. */
export async function failedJobsByName({ system }: Database): Promise<{ job: string; count: number }[]> {
  const { rows } = await system.query<{ job: string; count: number }>(
    `SELECT source_name AS job, count(*) AS count FROM pgboss.job WHERE ${waiting} GROUP BY source_name ORDER BY source_name`,
  );
  return rows;
}
