import pg from 'pg';
import { workflowBlobSchema } from '#src/automation/blob/blob.inputs.ts';

export const benchOrg = 'bench';

/** Nodes of one kind, one after the other. */
export const chainNodes = (ids: readonly string[], slug: string, config: object): unknown =>
  workflowBlobSchema.parse({
    version: 'v1',
    nodes: ids.map((id) => ({ id, node: slug, version: '1.0.0', config })),
    edges: ids.slice(1).map((id, index) => ({ from: { node: ids[index] }, to: id })),
  });

/** A chain of three nodes of one kind. */
export const threeNodes = (slug: string, config: object): unknown =>
  chainNodes(['first', 'second', 'third'], slug, config);

/** Adds tenants, each with one ready workflow and its webhook, to a migrated database. Returns a handle for each tenant. */
export async function addWorkflows(
  databaseUrl: string,
  options: { name: string; blob: unknown; tenants: number },
): Promise<{ tenantId: string; workflowId: number; handle: string }[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('INSERT INTO orgs (id, name) VALUES ($1, $1) ON CONFLICT DO NOTHING', [benchOrg]);
    await client.query(
      `INSERT INTO tenants (id, org_id, name) SELECT 'tenant-' || n, $2, 'Tenant ' || n FROM generate_series(0, $1::int - 1) AS n ON CONFLICT DO NOTHING`,
      [options.tenants, benchOrg],
    );
    const { rows } = await client.query(
      `WITH made AS (
         INSERT INTO workflows (tenant_id, name, blob) SELECT 'tenant-' || n, $2, $3 FROM generate_series(0, $1::int - 1) AS n RETURNING tenant_id, id
       ), bundled AS (
         INSERT INTO workflow_bundles (tenant_id, workflow_id, revision, content)
         SELECT tenant_id, id, 1, jsonb_build_object('blob', $3::jsonb, 'nodes', '{}'::jsonb) FROM made RETURNING tenant_id, workflow_id, id
       ), triggered AS (
         INSERT INTO triggers (tenant_id, workflow_id, type, name) SELECT tenant_id, id, 'webhook', 'Orders' FROM made RETURNING tenant_id, workflow_id, handle
       )
       SELECT t.tenant_id AS "tenantId", t.workflow_id::int AS "workflowId", t.handle, b.id::int AS "bundleId"
       FROM triggered t JOIN bundled b USING (tenant_id, workflow_id)`,
      [options.tenants, options.name, JSON.stringify(options.blob)],
    );
    await client.query(
      `UPDATE workflows w SET bundle_id = b.id, bundle_status = 'ready', bundle_revision = 1 FROM workflow_bundles b
       WHERE b.tenant_id = w.tenant_id AND b.workflow_id = w.id AND w.bundle_id IS NULL`,
    );
    return rows;
  } finally {
    await client.end();
  }
}
