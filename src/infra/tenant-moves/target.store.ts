import type pg from 'pg';
import type { Manifest } from './manifest.ts';

/** Statements about the tenant in the target. */

/** What the target lacks of what the tenant uses, a sentence each. */
export async function findMissing(client: pg.Client, manifest: Manifest): Promise<string[]> {
  const { rows } = await client.query<{ sentence: string }>(
    `SELECT 'the node ' || slug || '@' || version || CASE WHEN EXISTS (SELECT FROM nodes n WHERE (n.slug, n.version) = (w.slug, w.version))
         THEN ', which is there with other code' ELSE '' END AS sentence
       FROM jsonb_to_recordset($1::jsonb) AS w(slug text, version text, "codeHash" text)
       WHERE NOT EXISTS (SELECT FROM nodes n WHERE (n.slug, n.version) = (w.slug, w.version) AND n.code_hash IS NOT DISTINCT FROM w."codeHash")
     UNION ALL SELECT 'the credential type ' || slug FROM jsonb_array_elements_text($2::jsonb) AS w(slug)
       WHERE NOT EXISTS (SELECT FROM credential_types t WHERE t.slug = w.slug)
     UNION ALL SELECT 'the theme ' || name FROM jsonb_to_recordset($3::jsonb) AS w(name text)
       WHERE NOT EXISTS (SELECT FROM themes t WHERE t.vendor || '/' || t.name || '@' || t.version = w.name)
     UNION ALL SELECT 'the extension ' || name FROM jsonb_to_recordset($4::jsonb) AS w(name text)
       WHERE NOT EXISTS (SELECT FROM extensions e WHERE e.vendor || '/' || e.name || '@' || e.version = w.name)
     ORDER BY 1`,
    [manifest.nodes, manifest.credentialTypes, manifest.themes, manifest.extensions].map((list) =>
      JSON.stringify(list),
    ),
  );
  return rows.map(({ sentence }) => sentence);
}

export async function readInstallation(client: pg.Client): Promise<{ installation: number; migrations: string[] }> {
  const { rows } = await client.query<{ installation: number; migrations: string[] }>(
    `SELECT number AS installation, ARRAY(SELECT migration_name::text FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL ORDER BY 1) AS migrations
     FROM installation_number`,
  );
  return rows[0] as (typeof rows)[number];
}

export async function hasTenant(client: pg.Client, tenantId: string): Promise<boolean> {
  return (await client.query('SELECT FROM tenants WHERE id = $1', [tenantId])).rowCount === 1;
}

/** Makes the tenant, closed, with its organisation unless that is there. */
export async function insertTenant(client: pg.Client, { org, tenant, moveId }: Manifest): Promise<void> {
  await client.query('INSERT INTO orgs (id, name) VALUES ($1, $2) ON CONFLICT DO NOTHING', [org.id, org.name]);
  await client.query('INSERT INTO tenants (id, org_id, name, created_at) VALUES ($1, $2, $3, $4::timestamptz)', [
    tenant.id,
    org.id,
    tenant.name,
    tenant.createdAt,
  ]);
  await client.query(
    `INSERT INTO tenant_moves (tenant, move_id, direction, state, closed_at) VALUES ($1, $2, 'in', 'closed', clock_timestamp())`,
    [tenant.id, moveId],
  );
}

/** Fills a temporary table with the ids that rows of no tenant have in the source and in the target; users are made where they are missing. */
export async function mapIds(client: pg.Client, manifest: Manifest): Promise<void> {
  await client.query('CREATE TEMP TABLE moved_ids (kind text, source bigint, target bigint) ON COMMIT DROP');
  await client.query(
    `INSERT INTO users (iss, sub, email, name) SELECT iss, sub, email, name FROM jsonb_to_recordset($1::jsonb) AS w(iss text, sub text, email text, name text)
     ON CONFLICT (iss, sub) DO NOTHING`,
    [JSON.stringify(manifest.users)],
  );
  await client.query(
    `INSERT INTO moved_ids
       SELECT 'user', w.id, u.id FROM jsonb_to_recordset($1::jsonb) AS w(id bigint, iss text, sub text) JOIN users u USING (iss, sub)
       UNION ALL SELECT 'theme', w.id, t.id FROM jsonb_to_recordset($2::jsonb) AS w(id bigint, name text)
         JOIN themes t ON t.vendor || '/' || t.name || '@' || t.version = w.name
       UNION ALL SELECT 'extension', w.id, e.id FROM jsonb_to_recordset($3::jsonb) AS w(id bigint, name text)
         JOIN extensions e ON e.vendor || '/' || e.name || '@' || e.version = w.name`,
    [manifest.users, manifest.themes, manifest.extensions].map((list) => JSON.stringify(list)),
  );
}

/** Inserts events from a temporary table. What every consumer has read gets a position before all cursors, so that none reads it again. */
export async function insertEvents(client: pg.Client, tenantId: string): Promise<number> {
  const { rowCount } = await client.query(
    `INSERT INTO outbox_events (id, tenant_id, event_id, topic, data, metadata, created_at, xid)
     SELECT id, $1, event_id, topic, data, metadata, created_at, CASE WHEN is_pending THEN outbox_place() ELSE (-3 * 2 ^ 52)::bigint END
     FROM moved_events`,
    [tenantId],
  );
  return rowCount ?? 0;
}

/** Sums that triggers have added to while their rows arrived. */
export async function restoreStateSums(client: pg.Client, columns: readonly string[]): Promise<void> {
  const set = columns
    .filter((column) => !['tenant_id', 'namespace'].includes(column))
    .map((column) => `"${column}" = s."${column}"`);
  await client.query(
    `UPDATE state_namespaces n SET ${set.join(', ')} FROM arriving_state_namespaces s WHERE (n.tenant_id, n.namespace) = (s.tenant_id, s.namespace)`,
  );
}
