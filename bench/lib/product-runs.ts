import { declarations } from '#src/domains/domains.ts';
import { migrate } from '#src/infra/migrations/migrate.ts';
import { fillRuns, type RunsSchema, type RunsSize, tenantName } from './runs-table.ts';

export const benchOrg = 'bench';

/** The page that both sides return: the columns of a list of runs. */
export const runsDocument = `{ runs(first: 50) { edges { node {
  databaseId workflowId workflowName status error triggerHandle triggerType startedAt completedAt createdAt updatedAt } } } }`;

/** Our own tables, filled like the plain ones: runs of all tenants in turn, one in twenty failed. */
const productRunsSchema: RunsSchema = {
  create: [],
  fill: ({ runs, tenants, workflowsPerTenant }) => [
    `INSERT INTO orgs (id, name) VALUES ('${benchOrg}', 'Bench')`,
    `INSERT INTO tenants (id, org_id, name) SELECT 'tenant-' || t, '${benchOrg}', 'Tenant ' || t FROM generate_series(0, ${tenants - 1}) AS t`,
    `INSERT INTO workflows (tenant_id, id, name, blob, bundle_id, bundle_status, bundle_revision)
     SELECT 'tenant-' || t, id, 'Orders to ERP ' || w, '{"version":"v1","nodes":[],"edges":[]}', id, 'ready', 1
       FROM generate_series(0, ${tenants - 1}) AS t, generate_series(1, ${workflowsPerTenant}) AS w,
            LATERAL (SELECT t * ${workflowsPerTenant} + w AS id) AS ids`,
    `INSERT INTO workflow_bundles (tenant_id, id, workflow_id, revision, content) SELECT tenant_id, id, id, 1, '{}' FROM workflows`,
    `INSERT INTO runs (tenant_id, id, workflow_id, bundle_id, revision, status, error, trigger_handle, trigger_type,
                       started_at, completed_at, created_at, updated_at)
     SELECT 'tenant-' || t, n, workflow, workflow, 1,
            CASE WHEN failed THEN 'failed' ELSE 'succeeded' END,
            CASE WHEN failed THEN 'The ERP answered 503 Service Unavailable.' END,
            md5(t || '.' || workflow)::uuid, 'webhook', at, at + interval '40 ms', at - interval '5 ms', at + interval '40 ms'
       FROM generate_series(1, ${runs}) AS n,
            LATERAL (SELECT n % ${tenants} AS t, n / ${tenants} % 20 = 0 AS failed,
                            n % ${tenants} * ${workflowsPerTenant} + n / ${tenants} % ${workflowsPerTenant} + 1 AS workflow,
                            timestamptz '2026-01-01Z' + n * interval '1 s' AS at) AS derived`,
    `SELECT setval('runs_id_seq', ${runs}), setval('workflows_id_seq', 1000000), setval('workflow_bundles_id_seq', 1000000)`,
  ],
  finish: ['VACUUM (ANALYZE) workflows', 'VACUUM (ANALYZE) runs'],
  page: `SELECT r.id AS "databaseId", w.id AS "workflowId", w.name AS "workflowName", upper(r.status::text) AS status, r.error,
                r.trigger_handle AS "triggerHandle", upper(r.trigger_type::text) AS "triggerType", r.started_at AS "startedAt",
                r.completed_at AS "completedAt", r.created_at AS "createdAt", r.updated_at AS "updatedAt"
           FROM (SELECT * FROM runs WHERE tenant_id = $1 ORDER BY id DESC LIMIT 50) AS r
           JOIN workflows w ON w.tenant_id = r.tenant_id AND w.id = r.workflow_id
          ORDER BY r.id DESC`,
};

/** Migrates an empty database to the product's schema and fills it. Returns the bare handler's statement. */
export async function fillProductRuns(databaseUrl: string, size: RunsSize): Promise<string> {
  await migrate(databaseUrl, declarations.jobs);
  await fillRuns(databaseUrl, productRunsSchema, size);
  return productRunsSchema.page;
}

/** The page's request for each tenant in turn. */
export async function pageRequests(size: RunsSize, headersFor: (tenantId: string) => Promise<Record<string, string>>) {
  const body = JSON.stringify({ query: runsDocument });
  return Promise.all(
    Array.from({ length: size.tenants }, async (_, n) => ({
      method: 'POST' as const,
      path: '/graphql',
      headers: { 'content-type': 'application/json', ...(await headersFor(tenantName(n))) },
      body,
    })),
  );
}
