import pg from 'pg';
import { insertWorkflow } from '#test/automation/runs/run-rows.ts';
import type { TestApp } from '#test/setup/app.ts';

export const daysFromNow = (days: number) => new Date(Date.now() + days * 86_400_000);

/** Makes things that need a person, and beside each of them one that does not. */
export async function makeNeedy(api: TestApp, tenantId: string): Promise<void> {
  // As the owner of the tables: none of the product's roles writes all of them.
  const client = new pg.Client({ connectionString: api.databaseUrl });
  await client.connect();
  const sql = (text: string, values: unknown[] = []) =>
    client.query<{ id: number; name: string }>(text, [tenantId, ...values]);
  try {
    await insertAll(api, sql, tenantId);
  } finally {
    await client.end();
  }
}

type Sql = (text: string, values?: unknown[]) => Promise<pg.QueryResult<{ id: number; name: string }>>;

async function insertAll({ database }: TestApp, sql: Sql, tenantId: string): Promise<void> {
  const workflows = [];
  for (const name of ['Orders', 'Stock']) workflows.push(await insertWorkflow(database, tenantId, name));
  await sql(
    `INSERT INTO dead_letters (tenant_id, workflow_id, trigger_id, source, trigger_handle, status, created_at)
     SELECT $1, w, 1, 'webhook', gen_random_uuid(), status::dead_letter_status, $3::timestamptz + n * interval '1 minute'
     FROM unnest($2::bigint[]) WITH ORDINALITY AS workflows(w, position),
       LATERAL generate_series(1, position * 2) AS n, unnest('{pending,replayed,discarded}'::text[]) AS status`,
    [workflows, daysFromNow(-2)],
  );
  // Of each kind of group one that has runs; of the open ones, one whose last failure is long ago, and one whose runs were retried.
  await sql(
    `INSERT INTO error_groups (tenant_id, id, kind, node, code, message, status, first_at, last_at)
     SELECT $1, gen_random_uuid(), kind, node, 'HTTP_ERROR', 'The ERP answered {n}.', status, $2::timestamptz, last_at
     FROM (VALUES ('run', 'core:http-request', 'open', now()), ('run', 'Muted', 'muted', now()), ('run', 'Resolved', 'resolved', now()),
       ('run', 'Long ago', 'open', now() - interval '25 hours'), ('run', 'Retried', 'open', now()), ('webhook_delivery', 'Other', 'open', now())
     ) AS given(kind, node, status, last_at)`,
    [daysFromNow(-1)],
  );
  await sql(
    `INSERT INTO runs (tenant_id, workflow_id, bundle_id, revision, trigger_type, status, error_group_id)
     SELECT g.tenant_id, $2, 1, 1, 'manual', 'failed', g.id FROM error_groups g, generate_series(1, 3)
     WHERE g.tenant_id = $1 AND g.kind = 'run' AND g.node <> 'Retried'`,
    [workflows[0]],
  );
  const { rows: destinations } = await sql(
    `INSERT INTO webhook_destinations (tenant_id, name, url, topics, status, disabled_reason, updated_at)
     SELECT $1, name, 'https://erp.example', '{*}', CASE WHEN reason IS NULL THEN 'enabled' ELSE 'disabled' END, reason, now()
     FROM (VALUES ('Works', NULL), ('Slips', NULL), ('Fails', NULL), ('Refuses', NULL), ('Gone', 'gone'), ('Down', 'failing'), ('Paused', 'manual')) AS given(name, reason)
     RETURNING id, name`,
  );
  await sql(
    `INSERT INTO webhook_queues (tenant_id, destination_id, problem, failing_since)
     SELECT $1, d.id, CASE d.name WHEN 'Refuses' THEN 'It has had no success for 24 hours.' END,
       CASE WHEN d.name IN ('Refuses', 'Down') THEN $3::timestamptz WHEN d.name = 'Fails' THEN now() - interval '11 minutes'
         WHEN d.name = 'Slips' THEN now() - interval '9 minutes' END
     FROM unnest($2::bigint[]) AS wanted(id) JOIN webhook_destinations d USING (id)`,
    [destinations.map(({ id }) => id), daysFromNow(-5)],
  );
  await sql(
    `INSERT INTO webhook_deliveries (tenant_id, destination_id, payload_id, status)
     SELECT $1, $2, n, status FROM generate_series(1, 3) AS n, unnest('{held,delivered}'::text[]) AS status`,
    [destinations.find(({ name }) => name === 'Gone')?.id],
  );
  await sql(
    `INSERT INTO webhook_deliveries (tenant_id, destination_id, payload_id, status, next_attempt_at)
     SELECT $1, $2, n, 'pending', now() + interval '5 minutes' FROM generate_series(1, 2) AS n`,
    [destinations.find(({ name }) => name === 'Fails')?.id],
  );
  await sql(
    `INSERT INTO credentials (tenant_id, credential_type_slug, name, status, public_config, config, config_key_version, expires_at, created_at,
       updated_at)
     SELECT $1, 'core:bearer', name, status::credential_status, '{}', '', 1, now() + ends * interval '1 day', now() - interval '1 year',
       now() - interval '3 hours'
     FROM (VALUES ('Never', 'active', NULL), ('Later', 'active', 20), ('Soon', 'active', 10), ('Tomorrow', 'active', 1),
       ('Over', 'active', -0.5), ('Revoked', 'revoked', NULL)) AS given(name, status, ends)`,
  );
  await sql(
    `INSERT INTO bulk_jobs (tenant_id, kind, target, profile, profile_name, upload_id, dry_run, status, rows_read, rows_rejected, error, created_at, finished_at)
     SELECT $1, kind, 'stock', '{}', name, CASE kind WHEN 'import' THEN nextval('uploads_id_seq') END, dry, status, rejected, rejected, error, now() - ago * interval '1 day', now() - ago * interval '1 day'
     FROM (VALUES
       ('import', 'mended', false, 'completed', 4, NULL, 3), ('import', 'mended', false, 'completed', 0, NULL, 2),
       ('import', 'partial', false, 'completed', 0, NULL, 3), ('import', 'partial', false, 'completed', 7, NULL, 2),
       ('import', 'partial', true, 'completed', 0, NULL, 1), ('import', 'broken', false, 'failed', 0, 'The file is no CSV.', 1),
       ('import', 'old', false, 'completed', 9, NULL, 20), ('export', 'sent', false, 'failed', 0, 'No room.', 1)
     ) AS given(kind, name, dry, status, rejected, error, ago) ORDER BY ago DESC`,
  );
  // Extensions of these names: one is slow now, one was an hour ago, one is slow and disabled.
  for (const [name, ago, status] of [
    ['slow', 0, 'installed'],
    ['mended', 60, 'installed'],
    ['disabled', 0, 'disabled'],
  ] as const) {
    await sql(
      `WITH named AS (
         INSERT INTO extension_names (vendor, name, tenant_id) VALUES ($1, $2, $1) RETURNING vendor, name
       ), registered AS (
         INSERT INTO extensions (tenant_id, vendor, name, version, title, type, url, target_theme, target_version, manifest, integrity)
         SELECT $1, vendor, name, '1.0.0', name, 'private', 'https://blocks.example', 'acme/plain', '*', '{}', '{}' FROM named RETURNING id
       ), installed AS (
         INSERT INTO extension_installations (tenant_id, extension_id, vendor, name, status, updated_at)
         SELECT $1, id, $1, $2, $4::installation_status, now() FROM registered
       )
       INSERT INTO extension_breakers (tenant_id, extension_id, opened_at, open_until, openings)
       SELECT $1, id, now() - ($3 + 1) * interval '1 minute', now() - $3 * interval '1 minute', 7 FROM registered`,
      [name, ago, status],
    );
  }
}
