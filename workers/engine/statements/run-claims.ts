import type { StepStatus } from '#src/automation/runs/run-status.rules.ts';
import { executeRunJob } from '#src/automation/runs/runs.declarations.ts';
import { type NoticeRow, noticeColumns } from '#src/automation/runs/runs.store.ts';
import type { Deps } from '#src/infra/deps.ts';
import type { SystemTx } from '#src/infra/postgres/database.ts';
import type { StoredCause } from '#src/infra/tracing/cause.ts';

export interface ClaimedRow extends NoticeRow, StoredCause {
  bundle_id: number;
  nonce: string | null;
  revision: number;
  trigger_handle: string | null;
  trigger_type: string;
  retries: number;
  is_test: boolean;
  depth: number;
  root_run_id: number | null;
  cancel_requested_at: Date | null;
  payload: unknown;
  org_id: string;
  created_at: Date;
  started_at: Date;
}

// The CASE and the OFFSETs force the planner to use the primary keys: by status or tenant alone it would read the whole
// backlog on tables that have grown since they were last analysed (48 ms instead of 4 for a claim of 100).
const claimSql = `
  WITH claimed AS (
    UPDATE runs r SET status = 'running', worker_id = $3, version = r.version + 1, wake_at = NULL,
      started_at = coalesce(r.started_at, clock_timestamp()), updated_at = clock_timestamp()
    FROM unnest($1::text[], $2::bigint[]) AS i(tenant_id, id)
    WHERE r.tenant_id = i.tenant_id AND r.id = i.id
      AND CASE r.status WHEN 'queued' THEN NOT r.held WHEN 'waiting' THEN r.wake_at <= clock_timestamp() ELSE false END
    RETURNING ${noticeColumns}, r.bundle_id, r.nonce, r.revision, r.trigger_handle, r.trigger_type, r.retries, r.is_test, r.depth, r.root_run_id, r.cancel_requested_at, r.created_at, r.traceparent, r.request_id
  )
  SELECT c.*, p.payload, t.org_id FROM claimed c
  CROSS JOIN LATERAL (SELECT payload FROM run_payloads WHERE tenant_id = c.tenant_id AND run_id = c.id OFFSET 0) p
  CROSS JOIN LATERAL (SELECT org_id FROM tenants WHERE id = c.tenant_id OFFSET 0) t`;

/** Assigns to the worker those of the runs that are queued or due. */
export async function claimQueuedRuns(
  tx: SystemTx,
  workerId: string,
  wanted: [tenantId: string, runId: string][],
): Promise<ClaimedRow[]> {
  const { rows } = await tx.query<ClaimedRow>({
    name: 'claim-runs',
    text: claimSql,
    values: [wanted.map(([tenantId]) => tenantId), wanted.map(([, id]) => id), workerId],
  });
  return rows;
}

/**
 * True when one of the next runs to claim has been due for `ms`; undefined when none is due. Runs that a claim has locked count
 * until it commits.
 */
export async function isQueueLate({ database }: Deps, ms: number): Promise<boolean | undefined> {
  const { rows } = await database.system.query<{ late: boolean | null }>({
    name: 'queue-late',
    text: `SELECT bool_or(start_after < now() - $1 * interval '1 ms') AS late FROM (
        SELECT start_after FROM pgboss.job WHERE name = '${executeRunJob.name}' AND state < 'active' AND NOT blocked
          AND start_after <= now() ORDER BY priority DESC, created_on LIMIT 100
      ) AS next`,
    values: [ms],
  });
  return rows[0]?.late ?? undefined;
}

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

/** Every recorded attempt of the run's steps, in order of path and attempt, without interrupted ones, which are made again. */
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

/** What a node of a test run answers instead of being executed. */
export interface GivenOutputs {
  path: string;
  origin: 'pinned' | 'reused';
  branch: string;
  outputs: Record<string, unknown>;
}

/** By the path of the node: `each/send`. */
export async function loadGivenOutputs(
  { database }: Deps,
  tenantId: string,
  runId: number,
): Promise<Map<string, GivenOutputs>> {
  const { rows } = await database.system.query<GivenOutputs>(
    'SELECT path, origin, branch, outputs FROM test_run_outputs WHERE tenant_id = $1 AND run_id = $2',
    [tenantId, runId],
  );
  return new Map(rows.map((row) => [row.path, row]));
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
