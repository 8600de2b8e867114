import type pg from 'pg';
import type { Manifest } from './manifest.ts';
import { mappedColumns, objectColumns } from './moved-tables.ts';

/** Statements about the tenant in the source. The session acts as its mover. */

export async function readPlace(
  client: pg.Client,
  tenantId: string,
): Promise<Pick<Manifest, 'installation' | 'migrations' | 'org' | 'tenant'> | undefined> {
  const { rows } = await client.query<{
    installation: number;
    migrations: string[];
    orgId: string;
    orgName: string;
    name: string;
    createdAt: string;
  }>(
    `SELECT (SELECT number FROM installation_number) AS installation,
       ARRAY(SELECT migration_name::text FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL ORDER BY 1) AS migrations,
       o.id AS "orgId", o.name AS "orgName", t.name, t.created_at::text AS "createdAt"
     FROM tenants t JOIN orgs o ON o.id = t.org_id WHERE t.id = $1`,
    [tenantId],
  );
  return rows.map(({ installation, migrations, orgId, orgName, name, createdAt }) => ({
    installation,
    migrations,
    org: { id: orgId, name: orgName },
    tenant: { id: tenantId, name, createdAt },
  }))[0];
}

/** The users that rows of the tenant name. */
export async function readUsers(client: pg.Client, tenantId: string): Promise<Manifest['users']> {
  const named = Object.entries(mappedColumns).flatMap(([table, columns]) =>
    Object.entries(columns)
      .filter(([, kind]) => kind === 'user')
      .map(([column]) => `SELECT "${column}" FROM "${table}" WHERE tenant_id = $1`),
  );
  const { rows } = await client.query<Manifest['users'][number] & { id: string }>(
    `SELECT id::text, iss, sub, email, name FROM users WHERE id IN (${named.join(' UNION ')}) ORDER BY id`,
    [tenantId],
  );
  return rows.map((row) => ({ ...row, id: Number(row.id) }));
}

type Names = Pick<Manifest, 'themes' | 'extensions' | 'nodes' | 'credentialTypes'>;

/** What the tenant uses of what belongs to the whole installation, by the names that it has in every other. */
export async function readNames(client: pg.Client, tenantId: string): Promise<Names> {
  const { rows } = await client.query<Names>(
    `SELECT
       (SELECT coalesce(json_agg(DISTINCT jsonb_build_object('id', t.id, 'name', t.vendor || '/' || t.name || '@' || t.version)), '[]')
         FROM theme_installations i JOIN themes t ON t.id = i.theme_id WHERE i.tenant_id = $1) AS themes,
       (SELECT coalesce(json_agg(DISTINCT jsonb_build_object('id', e.id, 'name', e.vendor || '/' || e.name || '@' || e.version)), '[]')
         FROM extension_installations i JOIN extensions e ON e.id = i.extension_id WHERE i.tenant_id = $1) AS extensions,
       (SELECT coalesce(json_agg(DISTINCT jsonb_build_object('slug', split_part(n.key, '@', 1), 'version', n.value ->> 'version', 'codeHash', n.value ->> 'codeHash')), '[]')
         FROM workflow_bundles b CROSS JOIN LATERAL jsonb_each(CASE WHEN jsonb_typeof(b.content -> 'nodes') = 'object' THEN b.content -> 'nodes' ELSE '{}' END) AS n
         WHERE b.tenant_id = $1) AS nodes,
       (SELECT coalesce(json_agg(DISTINCT credential_type_slug), '[]') FROM credentials WHERE tenant_id = $1) AS "credentialTypes"`,
    [tenantId],
  );
  return rows[0] as Names;
}

export async function readObjects(client: pg.Client, tenantId: string): Promise<string[]> {
  const named = Object.entries(objectColumns).map(
    ([table, column]) => `SELECT "${column}" AS key FROM "${table}" WHERE tenant_id = $1 AND "${column}" IS NOT NULL`,
  );
  const { rows } = await client.query<{ key: string }>(`${named.join(' UNION ')} ORDER BY 1`, [tenantId]);
  return rows.map(({ key }) => key);
}

export interface WrappedKey {
  purpose: 'credentials' | 'secrets';
  version: number;
  kekId: string;
  wrapped: Buffer | null;
}

export async function readDataKeys(client: pg.Client, tenantId: string): Promise<WrappedKey[]> {
  const { rows } = await client.query<WrappedKey>(
    'SELECT purpose, version, kek_id AS "kekId", wrapped FROM data_keys WHERE tenant_id = $1 ORDER BY 1, 2',
    [tenantId],
  );
  return rows;
}

/** The names of extensions that the tenant has registered. */
export async function readOwnExtensions(client: pg.Client, tenantId: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT vendor || '/' || name AS name FROM extension_names WHERE tenant_id = $1 ORDER BY 1`,
    [tenantId],
  );
  return rows.map(({ name }) => name);
}

export interface MoveRow {
  moveId: string;
  direction: 'out' | 'in';
  state: 'copying' | 'closed';
  copiedFrom: string | null;
  readTo: { xid: string; id: string } | null;
  jobs: Manifest['jobs'];
  loaded: string[];
  exportedAt: Date | null;
}

export async function readMove(client: pg.Client, tenantId: string): Promise<MoveRow | undefined> {
  const { rows } = await client.query<MoveRow>(
    `SELECT move_id AS "moveId", direction, state, copied_from::text AS "copiedFrom", read_to AS "readTo", jobs, loaded, exported_at AS "exportedAt"
     FROM tenant_moves WHERE tenant = $1`,
    [tenantId],
  );
  return rows[0];
}

/**
 * Closes the tenant at a position of the outbox that every consumer has reached. Returns false if one of them has read events of the tenant
 * that another has not: nothing is changed then, because the target would give them to both. The relay waits meanwhile.
 */
export async function closeAtCursor(
  client: pg.Client,
  tenantId: string,
  { movesTo, anyway }: { movesTo: string | undefined; anyway: boolean },
): Promise<boolean> {
  await client.query(
    `SELECT pg_advisory_xact_lock(hashtextextended('causeway.outbox/' || consumer, 0)) FROM (SELECT consumer FROM outbox_cursors ORDER BY consumer) AS each`,
  );
  const { rowCount } = await client.query(
    `UPDATE tenant_moves SET state = 'closed', closed_at = clock_timestamp(), moves_to = $2,
       read_to = (SELECT jsonb_build_object('xid', xid::text, 'id', id::text) FROM outbox_cursors ORDER BY xid, id LIMIT 1)
     WHERE tenant = $1 AND ($3 OR NOT EXISTS (
       SELECT FROM outbox_events WHERE tenant_id = $1 AND (xid, id) > (SELECT xid, id FROM outbox_cursors ORDER BY xid, id LIMIT 1)
         AND (xid, id) <= (SELECT xid, id FROM outbox_cursors ORDER BY xid DESC, id DESC LIMIT 1)))`,
    [tenantId, movesTo ?? null, anyway],
  );
  return rowCount === 1;
}

/** Puts runs under way back into the queue: the worker that holds one finds that it no longer does, as after the loss of its lease. */
export async function releaseRuns(client: pg.Client, tenantId: string): Promise<number> {
  const { rowCount } = await client.query(
    `UPDATE runs SET status = 'queued', worker_id = NULL, version = version + 1, updated_at = clock_timestamp()
     WHERE tenant_id = $1 AND status = 'running'`,
    [tenantId],
  );
  return rowCount ?? 0;
}

/** Takes the tenant's jobs out of the queues, except those of `recovered` queues, whose jobs workers make again from the rows. */
export async function takeJobs(client: pg.Client, tenantId: string, recovered: readonly string[]): Promise<void> {
  await client.query(
    `WITH taken AS (
       DELETE FROM pgboss.job WHERE name <> ALL($2::text[]) AND data ->> 'tenantId' = $1 AND state <= 'active' RETURNING name, data, start_after
     )
     UPDATE tenant_moves SET jobs = jobs || coalesce((SELECT jsonb_agg(jsonb_build_object('name', name, 'data', data, 'startAfter', start_after)) FROM taken), '[]')
     WHERE tenant = $1`,
    [tenantId, recovered],
  );
}
