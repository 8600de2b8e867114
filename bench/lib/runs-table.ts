import pg from 'pg';

export interface RunsSize {
  readonly runs: number;
  readonly tenants: number;
  readonly workflowsPerTenant: number;
}

/** How a schema is filled and read, as set-based SQL, so that the same bench fits any schema. */
export interface RunsSchema {
  readonly create: readonly string[];
  readonly fill: (size: RunsSize) => readonly string[];
  /** Run after filling, outside a transaction: indexes that are cheaper to build late, then VACUUM ANALYZE. */
  readonly finish: readonly string[];
  /** The 50 newest runs of tenant $1 with workflow names; column names are the JSON's keys. */
  readonly page: string;
}

/** Tenant `n` (from 0) of a filled schema. */
export function tenantName(n: number): string {
  return `tenant-${n}`;
}

/**
 * The columns of a run in the service API, without its payloads, under the composite keys the design asks for. Runs
 * of the tenants alternate, as they would in production, so that one tenant's newest 50 lie on 50 pages.
 */
export const plainRunsSchema: RunsSchema = {
  create: [
    `CREATE TABLE workflows (
       tenant_id text NOT NULL, id bigint NOT NULL, name text NOT NULL, PRIMARY KEY (tenant_id, id))`,
    `CREATE TABLE runs (
       tenant_id text NOT NULL, id bigint NOT NULL, workflow_id bigint NOT NULL, status text NOT NULL, error text,
       trigger_handle uuid NOT NULL, trigger_type text NOT NULL, engine_workflow_id text, engine_run_id text,
       started_at timestamptz, completed_at timestamptz, created_at timestamptz NOT NULL, updated_at timestamptz NOT NULL,
       PRIMARY KEY (tenant_id, id))`,
  ],
  fill: ({ runs, tenants, workflowsPerTenant }) => [
    `INSERT INTO workflows (tenant_id, id, name)
     SELECT 'tenant-' || t, t * ${workflowsPerTenant} + w, 'Orders to ERP ' || w
       FROM generate_series(0, ${tenants - 1}) AS t, generate_series(1, ${workflowsPerTenant}) AS w`,
    `INSERT INTO runs (tenant_id, id, workflow_id, status, error, trigger_handle, trigger_type, engine_workflow_id,
                       engine_run_id, started_at, completed_at, created_at, updated_at)
     SELECT 'tenant-' || t, n, t * ${workflowsPerTenant} + w,
            CASE WHEN failed THEN 'failed' ELSE 'succeeded' END,
            CASE WHEN failed THEN 'The ERP answered 503 Service Unavailable.' END,
            md5(t || '.' || w)::uuid, 'webhook', 'workflow-' || w, 'run-' || n,
            at, at + interval '40 ms', at - interval '5 ms', at + interval '40 ms'
       FROM generate_series(1, ${runs}) AS n,
            LATERAL (SELECT n % ${tenants} AS t, n / ${tenants} % ${workflowsPerTenant} + 1 AS w,
                            n / ${tenants} % 20 = 0 AS failed,
                            timestamptz '2026-01-01Z' + n * interval '1 s' AS at) AS derived`,
  ],
  finish: ['VACUUM (ANALYZE) workflows', 'VACUUM (ANALYZE) runs'],
  page: `SELECT r.id AS "databaseId", w.id AS "workflowId", w.name AS "workflowName", r.status, r.error,
                r.trigger_handle AS "triggerHandle", r.trigger_type AS "triggerType", r.started_at AS "startedAt",
                r.completed_at AS "completedAt", r.created_at AS "createdAt", r.updated_at AS "updatedAt"
           FROM (SELECT * FROM runs WHERE tenant_id = $1 ORDER BY id DESC LIMIT 50) AS r
           JOIN workflows w ON w.tenant_id = r.tenant_id AND w.id = r.workflow_id
          ORDER BY r.id DESC`,
};

/** Creates and fills the tables of `schema`. One million runs take well under a minute. */
export async function fillRuns(databaseUrl: string, schema: RunsSchema, size: RunsSize): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    for (const statement of schema.create) await client.query(statement);
    for (const statement of schema.fill(size)) await client.query(statement);
    for (const statement of schema.finish) await client.query(statement);
  } finally {
    await client.end();
  }
}
