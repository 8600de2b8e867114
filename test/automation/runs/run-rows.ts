import type { Database } from '#src/infra/postgres/database.ts';

/** Makes a workflow with a ready bundle, straight in the tables. */
export async function insertWorkflow(database: Database, tenantId: string, name: string): Promise<number> {
  const { rows } = await database.system.query<{ id: number }>(
    `WITH workflow AS (
       INSERT INTO workflows (tenant_id, name, blob, bundle_status, bundle_revision)
       VALUES ($1, $2, '{"version":"v1","nodes":[],"edges":[]}', 'ready', 1) RETURNING tenant_id, id
     ), bundle AS (
       INSERT INTO workflow_bundles (tenant_id, workflow_id, revision, content)
       SELECT tenant_id, id, 1, '{"blob":{"version":"v1","nodes":[],"edges":[]},"nodes":{}}' FROM workflow
     ) SELECT id FROM workflow`,
    [tenantId, name],
  );
  const id = rows[0]?.id as number;
  await database.system.query(
    `UPDATE workflows SET bundle_id = (SELECT id FROM workflow_bundles b WHERE b.tenant_id = $1 AND b.workflow_id = $2)
     WHERE tenant_id = $1 AND id = $2`,
    [tenantId, id],
  );
  return id;
}

export interface RunGiven {
  status?: string;
  error?: string;
  triggerType?: string;
  /** ISO instants. */
  createdAt?: string;
  startedAt?: string;
  completedAt?: string;
}

/** Makes a run as the engine would have left it. Answers its id. */
export async function insertRun(
  database: Database,
  tenantId: string,
  workflowId: number,
  given: RunGiven = {},
): Promise<number> {
  const { rows } = await database.system.query<{ id: number }>(
    `INSERT INTO runs (tenant_id, workflow_id, bundle_id, revision, trigger_handle, trigger_type, status, error, started_at,
       completed_at, created_at)
     VALUES ($1, $2, 1, 1, gen_random_uuid(), $3, $4, $5, $6, $7, coalesce($8, now())) RETURNING id`,
    [
      tenantId,
      workflowId,
      given.triggerType ?? 'webhook',
      given.status ?? 'succeeded',
      given.error ?? null,
      given.startedAt ?? null,
      given.completedAt ?? null,
      given.createdAt ?? null,
    ],
  );
  return rows[0]?.id as number;
}
