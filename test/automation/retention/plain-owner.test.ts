import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { sweepRetention } from '#src/automation/retention/retention-sweep.service.ts';
import { declarations } from '#src/domains/domains.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#src/infra/embedded-postgres/embedded-postgres.ts';
import { migrate } from '#src/infra/migrations/migrate.ts';
import { startTestApp, type TestApp } from '#test/setup/app.ts';
import { copyCluster } from '#test/setup/cluster.ts';
import { startsProcesses } from '#test/setup/timeouts.ts';
import { createHistory, nothing } from './history.ts';

const span = 5_000_000;

const rolesMade = `CREATE ROLE causeway_app LOGIN NOINHERIT; CREATE ROLE causeway_system LOGIN NOINHERIT;
  GRANT causeway_app, causeway_system TO hub`;
const neither = 'can neither create nor act as causeway_app and causeway_system';
const databaseMade = 'CREATE DATABASE hub OWNER hub';

/**
 * The ways in which an administrator may set a server up, from docs/database.md: the statements before a migration, and where that is
 * refused, those before the next.
 */
const setups = {
  'makes the roles itself': [`CREATE ROLE hub LOGIN CREATEROLE; ${databaseMade}`],
  'was given the roles after a migration missed them': [`CREATE ROLE hub LOGIN; ${databaseMade}`, rolesMade],
  'was given the roles without their rights': [
    `CREATE ROLE hub LOGIN; ${rolesMade} WITH INHERIT FALSE, SET TRUE; ${databaseMade}`,
  ],
};

let directory: string;
let server: EmbeddedPostgres;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'causeway-owner-'));
  await copyCluster(join(directory, 'pg'));
  server = await startEmbeddedPostgres({ dataDir: join(directory, 'pg'), settings: { fsync: 'off' } });
}, 120_000);
afterAll(async () => {
  await server.stop();
  await rm(directory, { recursive: true, force: true });
});

/** Leaves the server as it was found. */
const clear = () =>
  run(
    server.url(),
    'DROP DATABASE hub WITH (FORCE); DROP ROLE IF EXISTS causeway_app; DROP ROLE IF EXISTS causeway_system; DROP ROLE hub',
  );

async function run(url: string, statements: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  // One by one, as a database is made in no transaction.
  for (const statement of statements.split(';')) await client.query(statement);
  await client.end();
}

/** How many tables a schema of the database has that Postgres does not bring. */
async function tablesMade(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ made: number }>(
    `SELECT count(*)::int AS made FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
  );
  await client.end();
  return rows[0]?.made as number;
}

describe('a migration reports it and creates nothing if the database’s user', () => {
  afterEach(clear);

  test.each([
    [
      'can neither make the roles nor act as them: they are not there',
      `CREATE ROLE hub LOGIN; ${databaseMade}`,
      '',
      neither,
    ],
    [
      'can neither make the roles nor act as them: it was not granted them',
      `CREATE ROLE hub LOGIN CREATEROLE; CREATE ROLE causeway_app; CREATE ROLE causeway_system; ${databaseMade}`,
      '',
      neither,
    ],
    [
      'may act as the roles and not create tables in its schema public',
      `CREATE ROLE hub LOGIN; ${rolesMade}; CREATE DATABASE hub; GRANT CREATE ON DATABASE hub TO hub`,
      '',
      'may not create tables in its schema public of the database hub',
    ],
    [
      'may act as the roles and not create schemas',
      `CREATE ROLE hub LOGIN; ${rolesMade}; CREATE DATABASE hub`,
      'GRANT CREATE ON SCHEMA public TO hub',
      'may not create schemas of the database hub',
    ],
  ])('%s', startsProcesses, async (_name, setup, inDatabase, reason) => {
    await run(server.url(), setup);
    await run(server.url('hub'), inDatabase);
    await expect(migrate(server.url('hub', 'hub'), declarations.jobs)).rejects.toThrow(
      `The database user hub ${reason}, so nothing was created.`,
    );
    expect(await tablesMade(server.url('hub', 'hub'))).toBe(0);
    expect(await tablesMade(server.url('hub'))).toBe(0);
  });
});

describe.each(Object.entries(setups))('if the database’s owner is not a superuser and %s, a sweep', (_name, setup) => {
  let owner: pg.Client;
  let api: TestApp;
  let history: ReturnType<typeof createHistory>;
  beforeAll(async () => {
    const databaseUrl = server.url('hub', 'hub');
    for (const statements of setup) {
      await run(server.url(), statements);
      const migrated = migrate(databaseUrl, declarations.jobs);
      if (statements === setup.at(-1)) expect(await migrated).not.toEqual([]);
      else await expect(migrated).rejects.toThrow(neither);
    }
    owner = new pg.Client({ connectionString: databaseUrl });
    await owner.connect();
    await owner.query(`INSERT INTO orgs (id, name) VALUES ('acme', 'Acme')`);
    await owner.query(
      `INSERT INTO tenants (id, org_id, name) VALUES ('acme-shop', 'acme', 'Shop'), ('acme-outlet', 'acme', 'Outlet')`,
    );
    api = await startTestApp({ databaseUrl, dataDir: join(directory, randomUUID()) });
    history = createHistory(api);
  }, 120_000);
  afterAll(async () => {
    await api.close();
    await owner.end();
    await clear();
  });

  const writeAudit = (id: number, age: number) =>
    api.database.system.query(
      `INSERT INTO audit_entries (id, tenant_id, org_id, via_system, channel, action, resource_type, resource_id, created_at)
       VALUES ($1, 'acme-shop', 'acme', true, 'system', 'run.finished', 'workflow_run', '1', now() - $2 * interval '1 day')`,
      [id, age],
    );
  const auditLeft = async (): Promise<number[]> =>
    (await api.database.system.query('SELECT id FROM audit_entries ORDER BY id')).rows.map(({ id }) => id);

  test('runs with no more than an owner’s rights', startsProcesses, async () => {
    const { rows } = await owner.query('SELECT rolsuper, rolbypassrls FROM pg_roles WHERE rolname = current_user');
    expect(rows).toEqual([{ rolsuper: false, rolbypassrls: false }]);
    expect((await owner.query('SELECT count(*)::int AS seen FROM workflows')).rows).toEqual([{ seen: 0 }]);
  });

  test('deletes expired rows one by one, and keeps the others', startsProcesses, async () => {
    await history.settings('acme-shop', { run: 10, step: 5, audit: 10 });
    const old = await history.run({ age: 11, key: 'order-1' });
    const young = await history.run({ age: 9 });
    const letter = await history.letter('acme-shop', 'replayed', 30);
    await writeAudit(5, 11);
    await writeAudit(6, 9);
    const { deleted } = await sweepRetention(api.deps, { pauseMs: 0 });
    expect(deleted).toMatchObject({ runs: 1, steps: 4, deadLetters: 1, auditEntries: 1 });
    expect(await history.left(old)).toEqual(nothing);
    expect(await history.left(young)).toMatchObject({ runs: 1, steps: 0 });
    expect(await history.lettersLeft([letter])).toEqual([]);
    expect(await auditLeft()).toEqual([6]);
    expect(api.logLines.filter((line) => line.includes('Retention failed'))).toEqual([]);
  });

  test('drops expired partitions among those that were created ahead', startsProcesses, async () => {
    await owner.query('TRUNCATE runs, steps, run_log_lines, run_payloads, run_results, run_keys, audit_entries');
    for (const part of [1, 2, 3]) {
      await owner.query(`SELECT setval('runs_id_seq', $1), setval('audit_entries_id_seq', $1)`, [part * span + 1_000]);
      await api.database.system.query('SELECT ensure_partitions()');
    }
    await history.settings('acme-shop', { run: 10, audit: 10 });
    await history.run({ id: 50, age: 500 });
    const kept = await history.run({ id: span + 50, age: 9 });
    await writeAudit(50, 500);
    await writeAudit(span + 50, 9);
    const { partitions } = await sweepRetention(api.deps, { pauseMs: 0 });
    expect(partitions).toEqual(['runs_p0', 'audit_entries_p0']);
    expect(await history.left(50)).toEqual(nothing);
    expect((await history.left(kept)).runs).toBe(1);
    expect(await auditLeft()).toEqual([span + 50]);
  });

  test('lets no other role change the audit log', startsProcesses, async () => {
    await expect(
      api.database.withTenant('acme-shop', (tx) => tx.$queryRaw`SELECT purge_audit('acme-shop', now(), 5000)`),
    ).rejects.toThrow('permission denied');
    await expect(api.database.system.query('DELETE FROM audit_entries')).rejects.toThrow('permission denied');
    await expect(api.database.system.query(`SELECT purge_audit('acme-shop', now(), 5000)`)).rejects.toThrow(
      'The tenant keeps these audit entries',
    );
  });
});
