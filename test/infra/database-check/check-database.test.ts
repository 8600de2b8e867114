import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, onTestFinished } from 'vitest';
import { checkDatabase, type CheckedFeature, features } from '#src/infra/database-check/check-database.ts';
import { startEmbeddedPostgres } from '#src/infra/embedded-postgres/embedded-postgres.ts';
import { test } from '#test/setup/app-test.ts';
import { copyMigratedCluster } from '#test/setup/cluster.ts';
import { keeperIsMissing, keeperSuffix, poolerIsMissing, skippedSuffix, startPooler } from '#test/setup/pgbouncer.ts';
import { templateDatabase } from '#test/setup/template-database.ts';

/** The names of the features that a server does not have, without what it may do without. */
async function findMissing(url: string): Promise<string[]> {
  const checked: CheckedFeature[] = [];
  for await (const feature of checkDatabase(url)) checked.push(feature);
  expect(checked.map(({ name }) => name)).toEqual(features.map(({ name }) => name));
  for (const { outcome, instead } of checked) expect(instead === undefined).toBe(outcome === 'present');
  return checked.filter(({ outcome }) => outcome === 'missing').map(({ name }) => name);
}

const ask = async (url: string, text: string): Promise<unknown[]> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<Record<string, unknown>>(text);
  await client.end();
  return rows;
};

describe('The check of a database', () => {
  test('finds everything in the server that the product brings, and leaves nothing behind', async ({ database }) => {
    const left = `SELECT nspname FROM pg_namespace WHERE nspname LIKE 'causeway_check%'
      UNION ALL SELECT rolname FROM pg_roles WHERE rolname LIKE 'causeway_check%'`;
    expect(await findMissing(database.url)).toEqual([]);
    expect(await ask(database.url, left)).toEqual([]);
  });

  test('finds everything for an owner who is no superuser, if the roles are granted or may be created', async ({
    database,
  }) => {
    const name = `owner_${process.pid}`;
    const { database: clone = '' } = new pg.Client({ connectionString: database.url });
    await ask(database.url, `CREATE ROLE ${name} LOGIN; GRANT CREATE ON DATABASE ${clone} TO ${name}`);
    onTestFinished(async () => void (await ask(database.url, `DROP OWNED BY ${name}; DROP ROLE ${name}`)));
    const url = database.url.replace(/\/\/\w+@/, `//${name}@`);
    expect(await findMissing(url)).toEqual(
      expect.arrayContaining(['the roles causeway_app and causeway_system', 'SET ROLE', 'forced row-level security']),
    );
    await ask(database.url, `GRANT causeway_app, causeway_system TO ${name}`);
    expect(await findMissing(url)).toEqual([]);
  });

  test('says of a standby that it only reads, and goes on', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'causeway-standby-'));
    onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
    await copyMigratedCluster(join(dataDir, 'pg'));
    await writeFile(join(dataDir, 'pg/standby.signal'), '');
    const standby = await startEmbeddedPostgres({ dataDir: join(dataDir, 'pg'), settings: { max_connections: '400' } });
    onTestFinished(() => standby.stop());
    expect(await findMissing(standby.url(templateDatabase))).toEqual(
      expect.arrayContaining(['a server that takes writes', 'unlogged tables']),
    );
  });

  test.skipIf(poolerIsMissing)(
    `says of a pooler what it takes away, by its mode${skippedSuffix}`,
    { timeout: 180_000 },
    async ({ database }) => {
      const session = await startPooler(database.url, { mode: 'session' });
      onTestFinished(() => session.close());
      expect(await findMissing(session.url)).toEqual(['start-up options of a connection']);
      const transaction = await startPooler(database.url, { mode: 'transaction' });
      onTestFinished(() => transaction.close());
      expect(await findMissing(transaction.url)).toEqual(
        expect.arrayContaining([
          'start-up options of a connection',
          'a session for each connection',
          'named prepared statements',
          'advisory locks',
        ]),
      );
      // The pooler keeps its sessions, and a lock in one of them would stay.
      expect(
        await ask(
          database.url,
          `SELECT FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
        ),
      ).toEqual([]);
    },
  );

  test.skipIf(keeperIsMissing)(
    `finds prepared statements in a pooler that keeps them${keeperSuffix}`,
    async ({ database }) => {
      const pooler = await startPooler(database.url, { mode: 'transaction', keepsStatements: true });
      onTestFinished(() => pooler.close());
      expect(await findMissing(pooler.url)).not.toContain('named prepared statements');
    },
  );

  test.skipIf(keeperIsMissing)(
    `says of a pooler beside the database what it lacks${keeperSuffix}`,
    async ({ database }) => {
      const [app, system] = [`checked_app_${process.pid}`, `checked_system_${process.pid}`];
      await ask(database.url, `CREATE ROLE ${app} LOGIN IN ROLE causeway_app; CREATE ROLE ${system} LOGIN`);
      onTestFinished(async () => void (await ask(database.url, `DROP ROLE ${app}, ${system}`)));
      const found = async (keepsStatements: boolean) => {
        const pooler = await startPooler(database.url, { mode: 'transaction', keepsStatements, logins: [app, system] });
        const poolers = { appUrl: pooler.as(app), systemUrl: pooler.as(system) };
        const checked: CheckedFeature[] = [];
        for await (const feature of checkDatabase(database.url, poolers)) checked.push(feature);
        await pooler.close();
        return checked.slice(-2).map(({ name, outcome, instead }) => [name.split(':')[0], outcome, instead]);
      };
      expect(await found(true)).toEqual([
        ['DATABASE_APP_URL', 'present', undefined],
        [
          'DATABASE_SYSTEM_URL',
          'missing',
          expect.stringMatching(/GRANT causeway_app, causeway_system TO "checked_system_/),
        ],
      ]);
      await ask(database.url, `GRANT causeway_app, causeway_system TO ${system}`);
      const lacking = expect.stringContaining('does not keep prepared statements');
      expect(await found(false)).toEqual([
        ['DATABASE_APP_URL', 'missing', lacking],
        ['DATABASE_SYSTEM_URL', 'missing', lacking],
      ]);
    },
  );
});
