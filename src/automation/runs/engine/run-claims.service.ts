import type { RunDeps } from '#src/automation/runs/live/live-runs.service.ts';
import { type NoticeRow, noticeColumns, notifyRuns } from '#src/automation/runs/run-notices.service.ts';
import type { StepStatus } from '#src/automation/runs/run-status.rules.ts';
import { executeRunJob } from '#src/automation/runs/runs.jobs.ts';
import type { Deps } from '#src/infra/deps.ts';
import { fromPg } from '#src/infra/jobs.ts';
import { finishRuns } from './run-finishing.service.ts';
import { holdLease } from './run-journal.service.ts';

/** A run this worker now holds, and its job. */
export interface ClaimedRun {
  tenantId: string;
  orgId: string;
  id: number;
  /** As the claim left it; what is written about the run afterwards names it. */
  version: number;
  workflowId: number;
  bundleId: number;
  /** A random value of the run's own; null for runs made before there was one. */
  nonce: string | null;
  revision: number;
  triggerHandle: string | null;
  triggerType: string;
  payload: unknown;
  startedAt: Date;
  /** Never run before: it has no steps to load. */
  fresh: boolean;
  retries: number;
  depth: number;
  /** The run at the head of those that started one another; null where this is the head. */
  rootRunId: number | null;
  jobId: string;
}

interface ClaimedRow extends NoticeRow {
  bundle_id: number;
  nonce: string | null;
  revision: number;
  trigger_handle: string | null;
  trigger_type: string;
  retries: number;
  depth: number;
  root_run_id: number | null;
  cancel_requested_at: Date | null;
  payload: unknown;
  org_id: string;
  started_at: Date;
}

// The CASE and the OFFSETs keep the planner to the primary keys: by status or tenant alone it would read the whole backlog
// on tables that grew since they were last analysed (48 ms a claim of 100, against 4).
const claimSql = `
  WITH claimed AS (
    UPDATE runs r SET status = 'running', worker_id = $3, version = r.version + 1, wake_at = NULL,
      started_at = coalesce(r.started_at, clock_timestamp()), updated_at = clock_timestamp()
    FROM unnest($1::text[], $2::bigint[]) AS i(tenant_id, id)
    WHERE r.tenant_id = i.tenant_id AND r.id = i.id
      AND CASE r.status WHEN 'queued' THEN NOT r.held WHEN 'waiting' THEN r.wake_at <= clock_timestamp() ELSE false END
    RETURNING ${noticeColumns}, r.bundle_id, r.nonce, r.revision, r.trigger_handle, r.trigger_type, r.retries, r.depth, r.root_run_id, r.cancel_requested_at
  )
  SELECT c.*, p.payload, t.org_id FROM claimed c
  CROSS JOIN LATERAL (SELECT payload FROM run_payloads WHERE tenant_id = c.tenant_id AND run_id = c.id OFFSET 0) p
  CROSS JOIN LATERAL (SELECT org_id FROM tenants WHERE id = c.tenant_id OFFSET 0) t`;

/**
 * Takes up to `limit` jobs from the queue and the runs they are about, in one transaction. Jobs about runs that are not to be
 * had (ended, held elsewhere, not yet due) are done with. `fetched` tells whether there may be more.
 */
export async function claimRuns(
  deps: RunDeps,
  options: { workerId: string; limit: number; ignoreTenants: string[] },
): Promise<{ runs: ClaimedRun[]; fetched: number }> {
  const { boss } = deps.jobs;
  return deps.database.withSystem(async (client) => {
    const db = fromPg(client);
    const jobs = await boss.fetch<{ tenantId: string; runId: number }>(executeRunJob.name, {
      batchSize: options.limit,
      db,
      ...(options.ignoreTenants.length > 0 && { ignoreGroups: options.ignoreTenants }),
    });
    if (jobs.length === 0) return { runs: [], fetched: 0 };
    await holdLease(client, options.workerId);
    const jobOf = new Map<string, string>();
    const done: string[] = [];
    for (const job of jobs) {
      const { tenantId, runId } = executeRunJob.schema.parse(job.data);
      const key = `${tenantId}/${runId}`;
      // Two jobs about one run: the first one stands for both.
      if (jobOf.has(key)) done.push(job.id);
      else jobOf.set(key, job.id);
    }
    const wanted = [...jobOf.keys()].map((key) => key.split('/') as [string, string]);
    const { rows } = await client.query<ClaimedRow>({
      name: 'claim-runs',
      text: claimSql,
      values: [wanted.map(([tenantId]) => tenantId), wanted.map(([, id]) => id), options.workerId],
    });
    const claimed = new Set(rows.map((row) => `${row.tenant_id}/${row.id}`));
    for (const [key, jobId] of jobOf) if (!claimed.has(key)) done.push(jobId);
    const cancelled = rows.filter((row) => row.cancel_requested_at !== null);
    if (cancelled.length > 0) {
      await finishRuns(
        client,
        deps,
        options.workerId,
        cancelled.map((row) => ({
          tenantId: row.tenant_id,
          runId: row.id,
          status: 'cancelled',
          error: null,
          result: null,
        })),
      );
      for (const row of cancelled) done.push(jobOf.get(`${row.tenant_id}/${row.id}`) as string);
    }
    const live = rows.filter((row) => row.cancel_requested_at === null);
    notifyRuns(client, live);
    if (done.length > 0) await boss.complete(executeRunJob.name, done, null, { db });
    return {
      runs: live.map((row) => toRun(row, jobOf.get(`${row.tenant_id}/${row.id}`) as string)),
      fetched: jobs.length,
    };
  });
}

const toRun = (row: ClaimedRow, jobId: string): ClaimedRun => ({
  tenantId: row.tenant_id,
  orgId: row.org_id,
  id: row.id,
  version: row.version,
  workflowId: row.workflow_id,
  bundleId: row.bundle_id,
  nonce: row.nonce,
  revision: row.revision,
  triggerHandle: row.trigger_handle,
  triggerType: row.trigger_type,
  payload: row.payload,
  startedAt: row.started_at,
  // Version 1 is the insert; the first claim makes it 2.
  fresh: row.version === 2,
  retries: row.retries,
  depth: row.depth,
  rootRunId: row.root_run_id,
  jobId,
});

/** A recorded step, as the engine rebuilds a run from it. */
export interface RecordedStep {
  path: string;
  attempt: number;
  generation: number;
  status: Exclude<StepStatus, 'running'>;
  branch: string | null;
  outputs: Record<string, unknown> | null;
  error: { code: string; message: string } | null;
  waitingFor: string | null;
  wakeAt: Date | null;
  completedAt: Date | null;
}

/** Every recorded attempt of the run's steps, in order of path and attempt. One that was cut off is made again, so it is left out. */
export async function loadSteps({ database }: Deps, tenantId: string, runId: number): Promise<RecordedStep[]> {
  const { rows } = await database.system.query<RecordedStep>({
    name: 'load-steps',
    text: `SELECT path, attempt, generation, status, branch, outputs, error, waiting_for AS "waitingFor", wake_at AS "wakeAt",
        completed_at AS "completedAt"
      FROM steps WHERE tenant_id = $1 AND run_id = $2 AND status <> 'running' ORDER BY path, attempt`,
    values: [tenantId, runId],
  });
  return rows;
}

/** A bundle's content, as src/automation/workflows/bundles.service.ts made it. */
export async function loadBundle({ database }: Deps, tenantId: string, bundleId: number): Promise<unknown> {
  const { rows } = await database.system.query<{ content: unknown }>({
    name: 'load-bundle',
    text: 'SELECT content FROM workflow_bundles WHERE tenant_id = $1 AND id = $2',
    values: [tenantId, bundleId],
  });
  return rows[0]?.content;
}

/** A package node's bundled code. */
export async function loadNodeCode({ database }: Deps, hash: string): Promise<string> {
  const { rows } = await database.system.query<{ code: string }>('SELECT code FROM node_code WHERE hash = $1', [hash]);
  const [found] = rows;
  if (!found) throw new Error(`No code is stored under ${hash}.`);
  return found.code;
}
