import pg from 'pg';
import { expect, test } from 'vitest';
import { ensureDatabase } from '#src/infra/migrations/ensure-database.ts';
import { readMigrations } from '#src/infra/migrations/migrations.ts';
import { cloneDatabase } from '#test/setup/database.ts';
import { applyAll } from '#test/setup/migrations.ts';

test('revisions archived before workflows stored their authors are distinguished again', async () => {
  const { url, drop } = await cloneDatabase();
  const name = `before_${process.pid}`;
  await ensureDatabase(url, name);
  const own = url.replace(/\/[^/?]*(\?|$)/, `/${name}$1`);
  const client = new pg.Client({ connectionString: own });
  await client.connect();
  try {
    const [init, ...later] = await readMigrations();
    await client.query(init?.sql ?? '');
    await client.query(`
      INSERT INTO orgs (id, name) VALUES ('o', 'o');
      INSERT INTO tenants (id, org_id, name) VALUES ('t', 'o', 't');
      INSERT INTO workflows (tenant_id, id, name, blob, revision, created_at) VALUES
        ('t', 1, 'changed twice', '{}', 3, '2026-01-01Z'), ('t', 2, 'as it was', '{}', 1, '2026-01-01Z');
      INSERT INTO workflow_revisions (tenant_id, workflow_id, revision, blob, created_by, created_at) VALUES
        ('t', 1, 1, '{}', 7, '2026-01-02Z'), ('t', 1, 2, '{}', 8, '2026-01-03Z')`);
    await applyAll(client, own, later);
    const { rows } = await client.query(`
      SELECT workflow_id::int AS id, revision, created_by::int AS by, to_char(created_at, 'DD') AS day FROM workflow_revisions
      UNION SELECT id::int, revision, revision_author::int, to_char(revision_created_at, 'DD') FROM workflows
      ORDER BY id, revision`);
    expect(rows).toEqual([
      { id: 1, revision: 1, by: null, day: '01' },
      { id: 1, revision: 2, by: 7, day: '02' },
      { id: 1, revision: 3, by: 8, day: '03' },
      { id: 2, revision: 1, by: null, day: '01' },
    ]);
  } finally {
    await client.end();
    const owner = new pg.Client({ connectionString: url });
    await owner.connect();
    await owner.query(`DROP DATABASE ${name}`);
    await owner.end();
    await drop();
  }
});
