import { runConditions, type RunFilter } from '#src/automation/runs/run-filters.reads.ts';
import { SqlParameters } from '#src/infra/postgres/lists/sql-parameters.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';

/** Which of these runs the tenant has, also those that are locked. */
export async function findExistingRuns(tx: Tx, tenantId: string, ids: readonly number[]): Promise<Set<number>> {
  const { rows } = await tx.query<{ id: number }>(
    'SELECT id FROM runs WHERE tenant_id = $1 AND id = ANY($2::bigint[])',
    [tenantId, ids],
  );
  return new Set(rows.map(({ id }) => id));
}

/** The payloads of the first of these runs that have at most `maxBytes` together, and of at least one. */
export async function readPayloads(
  tx: Tx,
  tenantId: string,
  ids: readonly number[],
  maxBytes: number,
): Promise<Map<number, unknown>> {
  const { rows } = await tx.query<{ id: number; payload: unknown }>(
    `SELECT id, payload FROM (
       SELECT given.id, p.payload, sum(coalesce(octet_length(p.payload::text), 0)) OVER (ORDER BY given.id ROWS UNBOUNDED PRECEDING EXCLUDE CURRENT ROW) AS before
       FROM unnest($2::bigint[]) AS given(id) LEFT JOIN run_payloads p ON p.tenant_id = $1 AND p.run_id = given.id
     ) AS read WHERE coalesce(before, 0) < $3`,
    [tenantId, ids, maxBytes],
  );
  return new Map(rows.map(({ id, payload }) => [id, payload ?? null]));
}

/** Ends the steps of these runs that wait for an outside caller, with the same outputs. Returns the runs that had one. */
export async function settleResumableSteps(
  tx: Tx,
  tenantId: string,
  ids: readonly number[],
  outputs: string,
): Promise<number[]> {
  const { rows } = await tx.query<{ id: number }>(
    `WITH settled AS (
       UPDATE steps SET status = 'succeeded', outputs = $3::jsonb, branch = 'default', wake_at = NULL, completed_at = clock_timestamp()
       WHERE tenant_id = $1 AND run_id = ANY($2::bigint[]) AND status = 'waiting' AND resume_token IS NOT NULL RETURNING run_id
     ) SELECT DISTINCT run_id AS id FROM settled ORDER BY id`,
    [tenantId, ids, outputs],
  );
  return rows.map(({ id }) => id);
}

/** Makes waiting runs due now, and returns them. */
export async function wakeRuns(tx: Tx, tenantId: string, ids: readonly number[]): Promise<number[]> {
  const { rows } = await tx.query<{ id: number }>(
    `UPDATE runs SET wake_at = now(), updated_at = now() WHERE tenant_id = $1 AND id = ANY($2::bigint[]) AND status = 'waiting' RETURNING id`,
    [tenantId, ids],
  );
  return rows.map(({ id }) => id);
}

/** The statuses in which a run is taken by an action that was given a filter. */
const taken = {
  retry: `status = 'failed'`,
  rerun: `status IN ('succeeded', 'failed', 'cancelled')`,
  resume: `status = 'waiting'`,
  cancel: `status IN ('queued', 'running', 'waiting')`,
};

/** A statement that yields the ids of the runs within the filter to which the action applies: test runs only where it asks for them. */
export function selectRuns(tenantId: string, action: keyof typeof taken, filter: RunFilter) {
  const parameters = new SqlParameters();
  const where = [...runConditions(tenantId, { ...filter, isTest: filter.isTest ?? false }, parameters), taken[action]];
  return { text: `SELECT id FROM runs WHERE ${where.join(' AND ')}`, values: parameters.values };
}
