import pg from 'pg';
import { declarations } from '#src/domains/domains.ts';
import { migrate } from '#src/infra/migrations/migrate.ts';
import { benchOrg } from './bench-workflow.ts';

export const busyTenant = 'tenant-0';

/**
 * Migrates an empty database and writes `entries` audit rows: nine in ten belong to one busy tenant, the rest to ninety-nine others. Nine
 * in ten are about runs, half of them started by fifty users; one in a thousand is a failure. The rest are changes by five admins. The
 * oldest rows are three deletions of a secret by a user with no other rows.
 */
export async function fillAudit(databaseUrl: string, entries: number): Promise<void> {
  await migrate(databaseUrl, declarations.jobs);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(`INSERT INTO orgs (id, name) VALUES ('${benchOrg}', 'Bench'), ('other', 'Other')`);
    await client.query(
      `INSERT INTO tenants (id, org_id, name) SELECT 'tenant-' || t, CASE WHEN t < 50 THEN '${benchOrg}' ELSE 'other' END, 'Tenant ' || t
       FROM generate_series(0, 99) AS t`,
    );
    await client.query(
      `INSERT INTO audit_entries (tenant_id, org_id, actor_sub, actor_email, via_system, channel, action, resource_type, resource_id, metadata, created_at)
       SELECT 'tenant-' || tenant, CASE WHEN tenant < 50 THEN '${benchOrg}' ELSE 'other' END, sub, sub || '@example.com', sub IS NULL,
         'api', action, type, n::text, jsonb_build_object('workflow_id', n % 20), timestamptz '2026-01-01Z' + n * interval '1 s'
       FROM generate_series(1, $1::int) AS n,
       LATERAL (SELECT CASE WHEN n % 10 = 0 AND n > 3 THEN 1 + n / 10 % 99 ELSE 0 END AS tenant, n % 11 = 0 OR n <= 3 AS changes) AS a,
       LATERAL (SELECT
         CASE WHEN n <= 3 THEN 'rare' WHEN changes THEN 'admin-' || n % 5 WHEN n % 2 = 0 AND n % 4 = 0 THEN 'user-' || n % 50 END AS sub,
         CASE WHEN n <= 3 THEN 'delete' WHEN changes THEN (ARRAY['create', 'update', 'update', 'delete'])[1 + n % 4]
           WHEN n % 2 = 0 THEN 'run.started' WHEN n % 1000 = 1 THEN 'run.failed' ELSE 'run.finished' END AS action,
         CASE WHEN n <= 3 THEN 'secret' WHEN changes THEN (ARRAY['workflow', 'trigger', 'credential'])[1 + n % 3] ELSE 'workflow_run' END AS type
       ) AS b`,
      [entries],
    );
    await client.query('VACUUM (ANALYZE) audit_entries');
  } finally {
    await client.end();
  }
}
