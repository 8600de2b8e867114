import type { Database } from '#src/infra/postgres/database.ts';
import { isoInstants } from '#src/infra/postgres/statements/instants.ts';

/** A trigger that is watched, and the newest run and dead letter of its workflow when that began. */
export interface WatchedTrigger {
  tenantId: string;
  triggerId: bigint;
  workflowId: number;
  handle: string;
  newestRun: number;
  newestDeadLetter: number;
}

/** Undefined for a trigger that the tenant does not have. */
export async function findWatchedTrigger(
  database: Database,
  tenantId: string,
  triggerId: bigint,
): Promise<WatchedTrigger | undefined> {
  const [row] = await database.tenantQuery<WatchedTrigger & Record<string, unknown>>(tenantId, {
    text: `SELECT t.workflow_id AS "workflowId", t.handle,
        coalesce((SELECT max(id) FROM runs r WHERE r.tenant_id = $1 AND r.workflow_id = t.workflow_id), 0) AS "newestRun",
        coalesce((SELECT max(id) FROM dead_letters d WHERE d.tenant_id = $1 AND d.workflow_id = t.workflow_id), 0) AS "newestDeadLetter"
      FROM triggers t WHERE t.tenant_id = $1 AND t.id = $2`,
    values: [tenantId, triggerId],
  });
  return row && { ...row, tenantId, triggerId };
}

/** A firing of a trigger: the run that it started, or the dead letter that it was kept as. */
export interface TriggerSample {
  runId: number | null;
  deadLetterId: number | null;
  /** ISO 8601. */
  firedAt: string;
}

export interface Look {
  /** The first firing since; null if there was none. */
  sample: TriggerSample | null;
  isDeleted: boolean;
  newestRun: number;
}

/** Looks for a firing among the runs and dead letters after these. Test runs and reruns are no firings. */
export async function findFiring(
  database: Database,
  { tenantId, triggerId, workflowId, handle, newestRun, newestDeadLetter }: WatchedTrigger,
): Promise<Look> {
  const [row] = await database.tenantQuery<{
    run_id: number | null;
    run_at: string | null;
    letter_id: number | null;
    letter_at: string | null;
    is_deleted: boolean;
    newest_run: number | null;
  }>(tenantId, {
    name: 'find-firing',
    text: `SELECT r.id AS run_id, r.created_at AS run_at, d.id AS letter_id, d.created_at AS letter_at,
        NOT EXISTS (SELECT FROM triggers WHERE tenant_id = $1 AND id = $2) AS is_deleted,
        (SELECT max(id) FROM runs WHERE tenant_id = $1 AND workflow_id = $3) AS newest_run
      FROM (SELECT) AS one LEFT JOIN LATERAL (
        SELECT id, created_at FROM runs WHERE tenant_id = $1 AND workflow_id = $3 AND id > $5 AND trigger_handle = $4
          AND NOT is_test AND rerun_of_id IS NULL ORDER BY id LIMIT 1
      ) AS r ON true LEFT JOIN LATERAL (
        SELECT id, created_at FROM dead_letters WHERE tenant_id = $1 AND workflow_id = $3 AND id > $6 AND trigger_handle = $4
          ORDER BY id LIMIT 1
      ) AS d ON true`,
    values: [tenantId, triggerId, workflowId, handle, newestRun, newestDeadLetter],
    types: isoInstants,
  });
  const { run_id: runId, run_at: runAt, letter_id: deadLetterId, letter_at: letterAt } = row as NonNullable<typeof row>;
  const isRun = runAt !== null && (letterAt === null || runAt <= letterAt);
  const firedAt = isRun ? runAt : letterAt;
  return {
    sample:
      firedAt === null ? null : { runId: isRun ? runId : null, deadLetterId: isRun ? null : deadLetterId, firedAt },
    isDeleted: row?.is_deleted === true,
    newestRun: row?.newest_run ?? newestRun,
  };
}

export async function readSamplePayload(
  database: Database,
  tenantId: string,
  { runId, deadLetterId }: TriggerSample,
): Promise<unknown> {
  const [row] = await database.tenantQuery<{ payload: unknown }>(tenantId, {
    text:
      runId === null
        ? 'SELECT payload FROM dead_letter_payloads WHERE tenant_id = $1 AND dead_letter_id = $2'
        : 'SELECT payload FROM run_payloads WHERE tenant_id = $1 AND run_id = $2',
    values: [tenantId, runId ?? deadLetterId],
  });
  return row?.payload ?? null;
}
