import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { startEmbeddedPostgres } from '#src/infra/embedded-postgres/embedded-postgres.ts';
import { type Database, openDatabase } from '#src/infra/postgres/database.ts';
import { isOutage } from '#src/infra/postgres/outages.ts';
import { copyCluster } from '#test/setup/cluster.ts';
import { cloneDatabase } from '#test/setup/database.ts';

const catchFailure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'no failure',
    (error: unknown) => error,
  );

test('a connection to a standby is refused as an outage, and accepted once it is promoted', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'causeway-standby-'));
  await chmod(directory, 0o755);
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const options = { dataDir: join(directory, 'data'), settings: { fsync: 'off' } };
  await copyCluster(options.dataDir);
  const primary = await startEmbeddedPostgres(options);
  await statement(primary.url(), 'CREATE ROLE causeway_app; CREATE ROLE causeway_system');
  await primary.stop();
  await writeFile(join(options.dataDir, 'standby.signal'), '');
  const standby = await startEmbeddedPostgres(options);
  const database = openDatabase({ url: standby.url(), poolSize: 2 });
  try {
    for (const work of [() => database.system.query('SELECT 1'), () => database.global.$queryRaw`SELECT 1`])
      expect(await catchFailure(work())).toSatisfy(isOutage);
    await statement(standby.url(), 'SELECT pg_promote()');
    await database.system.query('SELECT 1');
    await database.global.$queryRaw`SELECT 1`;
  } finally {
    await database.close();
    await standby.stop();
  }
});

describe('a database that becomes read-only', () => {
  let clone: Awaited<ReturnType<typeof cloneDatabase>>;
  let database: Database;
  beforeEach(async () => {
    clone = await cloneDatabase();
    database = openDatabase({ url: clone.url, poolSize: 2 });
  });
  afterEach(async () => {
    await database.close();
    await clone.drop();
  });

  const insert = `INSERT INTO orgs (id, name) VALUES (gen_random_uuid(), 'Acme')`;
  const writes: [string, () => Promise<unknown>][] = [
    ['Prisma', () => database.global.org.create({ data: { id: crypto.randomUUID(), name: 'Acme' } })],
    ["a tenant's transaction", () => database.withTenant(null, (tx) => tx.query(insert))],
    ["the system's pool", () => database.system.query(`SELECT pg_notify('x', '')::text, nextval('runs_id_seq')`)],
    ['several tenants at once', () => database.withTenantSql(null, (tx) => tx.query(insert))],
  ];

  test.each(writes)('is an outage for %s, and its connection is not used again', async (_by, write) => {
    const turn = (on: boolean) =>
      statement(
        clone.url,
        `SET transaction_read_only = off; ALTER DATABASE ${new pg.Client(clone.url).database} SET default_transaction_read_only = ${on}`,
      );
    await turn(true);
    expect(await catchFailure(write())).toSatisfy(isOutage);
    await turn(false);
    await write();
  });
});

describe('a server without capacity', () => {
  let clone: Awaited<ReturnType<typeof cloneDatabase>>;
  beforeEach(async () => {
    clone = await cloneDatabase();
  });
  afterEach(() => clone.drop());

  test('on its disk is an outage', async () => {
    const database = openDatabase({ url: clone.url, poolSize: 2 });
    onTestFinished(() => database.close());
    const full = `DO $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$`;
    expect(await catchFailure(database.system.query(full))).toSatisfy(isOutage);
    expect(await catchFailure(database.global.$executeRawUnsafe(full))).toSatisfy(isOutage);
    // The disk of this server has room, so the next look finds it.
    expect(await database.hasRoom()).toBe(true);
  });

  test('for another connection is an outage', async () => {
    const role = `crowded_${process.pid}`;
    await statement(clone.url, `CREATE ROLE ${role} LOGIN CONNECTION LIMIT 0`);
    const database = openDatabase({ url: clone.url.replace('postgres@', `${role}@`), poolSize: 2 });
    try {
      const failure = await catchFailure(database.system.query('SELECT 1'));
      expect(failure).toMatchObject({ code: '53300' });
      expect(failure).toSatisfy(isOutage);
    } finally {
      await database.close();
      await statement(clone.url, `DROP ROLE ${role}`);
    }
  });
});

async function statement(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
