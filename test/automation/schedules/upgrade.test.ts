import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import pg from 'pg';
import { expect, inject, test } from 'vitest';

const migration = (name: string) =>
  readFile(new URL(`../../../prisma/migrations/${name}/migration.sql`, import.meta.url), 'utf8');

test('schedule triggers from before the scheduler get schedules, which the scheduler plans when it first sees them', async () => {
  const admin = inject('postgresUrl');
  const name = `upgrade_${randomUUID().replaceAll('-', '')}`;
  const owner = new pg.Client({ connectionString: admin });
  await owner.connect();
  await owner.query(`CREATE DATABASE ${name}`);
  const client = new pg.Client({ connectionString: admin.replace('/postgres?', `/${name}?`) });
  await client.connect();
  try {
    await client.query(await migration('20261120100000_init'));
    await client.query(`
      INSERT INTO orgs (id, name) VALUES ('acme', 'Acme');
      INSERT INTO tenants (id, org_id, name) VALUES ('acme-shop', 'acme', 'Shop');
      INSERT INTO workflows (tenant_id, id, name, blob, active, deleted_at, updated_at) VALUES
        ('acme-shop', 1, 'On', '{}', true, NULL, now()), ('acme-shop', 2, 'Off', '{}', false, NULL, now()),
        ('acme-shop', 3, 'Gone', '{}', false, now(), now());
      INSERT INTO triggers (tenant_id, id, workflow_id, type, name, config, active, updated_at) VALUES
        ('acme-shop', 1, 1, 'schedule', 'a', '{"cron":"@daily","timezone":"Europe/Berlin","misfire":"skip"}', true, now()),
        ('acme-shop', 2, 1, 'schedule', 'b', '{"cron":"@daily","timezone":"UTC","misfire":"skip"}', false, now()),
        ('acme-shop', 3, 2, 'schedule', 'c', '{"cron":"@hourly","timezone":"UTC","misfire":"catch_up"}', true, now()),
        ('acme-shop', 4, 3, 'schedule', 'd', '{"cron":"@hourly","timezone":"UTC","misfire":"skip"}', true, now()),
        ('acme-shop', 5, 1, 'webhook', 'e', '{}', true, now());`);
    await client.query(await migration('20261120200000_service_api'));
    const { rows } = await client.query(
      'SELECT trigger_id::int AS id, workflow_id::int AS workflow, cron, timezone, misfire, active, next_fire_at AS next FROM schedules ORDER BY 1',
    );
    const shared = { next: null };
    expect(rows).toEqual([
      { ...shared, id: 1, workflow: 1, cron: '@daily', timezone: 'Europe/Berlin', misfire: 'skip', active: true },
      { ...shared, id: 2, workflow: 1, cron: '@daily', timezone: 'UTC', misfire: 'skip', active: false },
      { ...shared, id: 3, workflow: 2, cron: '@hourly', timezone: 'UTC', misfire: 'catch_up', active: false },
    ]);
  } finally {
    await client.end();
    await owner.query(`DROP DATABASE ${name} WITH (FORCE)`);
    await owner.end();
  }
});
