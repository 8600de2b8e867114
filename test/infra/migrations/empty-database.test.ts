import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { withSchemaEngine } from '#scripts/schema-difference.ts';
import { declarations } from '#src/domains/domains.ts';
import { assertRowSecurity } from '#src/infra/migrations/apply-migrations.ts';
import { ensureDatabase } from '#src/infra/migrations/ensure-database.ts';
import { migrate } from '#src/infra/migrations/migrate.ts';
import { type Migration, neededExtensions, readMigrations } from '#src/infra/migrations/migrations.ts';

let owner: pg.Client;
let client: pg.Client;
let name: string;
let url: string;
beforeEach(async () => {
  name = `empty_${randomUUID().replaceAll('-', '')}`;
  url = inject('postgresUrl').replace('/postgres?', `/${name}?`);
  await ensureDatabase(inject('postgresUrl'), name);
  owner = new pg.Client({ connectionString: inject('postgresUrl') });
  client = new pg.Client({ connectionString: url });
  await owner.connect();
  await client.connect();
});
afterEach(async () => {
  await client.end();
  await owner.query(`DROP DATABASE ${name} WITH (FORCE)`);
  await owner.end();
});

/** The view of Prisma's engine of the database's history, as `prisma migrate status` would show it. */
async function diagnosis() {
  const baseDir = join(import.meta.dirname, '../../../prisma/migrations');
  const lock = 'migration_lock.toml';
  const migrationsList = {
    baseDir,
    lockfile: { path: lock, content: await readFile(join(baseDir, lock), 'utf8') },
    shadowDbInitScript: '',
    migrationDirectories: (await readMigrations()).map(({ name, sql }) => ({
      path: name,
      migrationFile: { path: 'migration.sql', content: { tag: 'ok' as const, value: sql } },
    })),
  };
  const filters = { externalTables: [], externalEnums: [] };
  return withSchemaEngine(url, (engine) =>
    engine.diagnoseMigrationHistory({ migrationsList, optInToShadowDatabase: false, filters }),
  );
}

/** Their names as they are applied: those that need extensions after the others, one of which creates these. */
function inOrder(migrations: readonly Migration[]): string[] {
  const waits = (migration: Migration) => neededExtensions(migration).length > 0;
  return [...migrations.filter((each) => !waits(each)), ...migrations.filter(waits)].map(({ name }) => name);
}

describe('migrating an empty database', () => {
  test('applies every migration once, however many processes start', async () => {
    const names = inOrder(await readMigrations());
    const answers = await Promise.all([1, 2, 3].map(() => migrate(url, declarations.jobs)));
    expect(answers.toSorted((a, b) => b.length - a.length)).toEqual([names, [], []]);
    const { rows } = await client.query('SELECT migration_name AS name FROM _prisma_migrations ORDER BY started_at');
    expect(rows.map((row) => row.name)).toEqual(names);
  });

  test('leaves a history that Prisma’s tools accept, and a gap in it would be found', async () => {
    await migrate(url, declarations.jobs);
    const sound = { failedMigrationNames: [], editedMigrationNames: [], hasMigrationsTable: true };
    expect(await diagnosis()).toMatchObject({ ...sound, history: null });
    await client.query(`DELETE FROM _prisma_migrations WHERE migration_name = '20261120300000_event_chains'`);
    expect(await diagnosis()).toMatchObject({ ...sound, history: { diagnostic: 'databaseIsBehind' } });
  });

  // Roles belong to the whole server, so what is changed is not committed.
  test.for(['SUPERUSER', 'BYPASSRLS'])('refuses %s of the role that tenants are served by', async (attribute) => {
    await migrate(url, declarations.jobs);
    await client.query(`BEGIN; ALTER ROLE causeway_app ${attribute}`);
    await expect(assertRowSecurity(client)).rejects.toThrow(`Run ALTER ROLE causeway_app NO${attribute}.`);
    await client.query('ROLLBACK');
    await expect(assertRowSecurity(client)).resolves.toBeUndefined();
  });

  test('refuses one that does not store UTF-8', async () => {
    const ascii = `${name}_ascii`;
    await owner.query(
      `CREATE DATABASE ${ascii} ENCODING 'SQL_ASCII' LOCALE_PROVIDER libc LOCALE 'C' TEMPLATE template0`,
    );
    await expect(migrate(url.replace(name, ascii), declarations.jobs)).rejects.toThrow(
      "The database stores text as SQL_ASCII, and Causeway needs UTF8. Create it with ENCODING 'UTF8' TEMPLATE template0.",
    );
    await owner.query(`DROP DATABASE ${ascii}`);
  });

  test('names the setting of a user or a database that the server does not have', async () => {
    for (const [given, reason] of [
      [url.replace(name, 'not_there'), 'database "not_there" does not exist'],
      [url.replace(/\/\/[^@/]*@/, '//nobody_here@'), 'role "nobody_here" does not exist'],
    ] as const) {
      await expect(migrate(given, declarations.jobs)).rejects.toThrow(
        `The database refuses what DATABASE_URL says: ${reason}.`,
      );
    }
  });

  test('names the setting of a server that is not there', async () => {
    await expect(migrate('postgres://hub@127.0.0.1:1/hub', declarations.jobs)).rejects.toThrow(
      'The database at 127.0.0.1:1, which DATABASE_URL names, cannot be used: connect ECONNREFUSED 127.0.0.1:1. Check its host and port, and that Postgres runs there.',
    );
  });

  test('refuses one with foreign tables', async () => {
    await client.query('CREATE TABLE customers (id int)');
    await expect(migrate(url, declarations.jobs)).rejects.toThrow('Give Causeway a database of its own.');
  });
});

test('a database that Prisma’s engine migrated continues from its state, after a failed attempt', async () => {
  const [init, ...later] = await readMigrations();
  // The table and the rows as the engine left them.
  await client.query(`
    CREATE TABLE _prisma_migrations (
      id VARCHAR(36) PRIMARY KEY NOT NULL, checksum VARCHAR(64) NOT NULL, finished_at TIMESTAMPTZ,
      migration_name VARCHAR(255) NOT NULL, logs TEXT, rolled_back_at TIMESTAMPTZ,
      started_at TIMESTAMPTZ NOT NULL DEFAULT now(), applied_steps_count INTEGER NOT NULL DEFAULT 0);
    INSERT INTO _prisma_migrations VALUES
      ('cbcedbc7-27f9-4aec-89ef-002a63468250', '855395fd82a2862bd1c6274e6d5aa220094f1635273a1454c98bfad957f2d3d7',
       '2026-11-20T10:44:04.593Z', '20261120100000_init', NULL, NULL, '2026-11-20T10:44:04.207Z', 1),
      ('36e6604e-b9df-40d6-b1c2-af96641d0a99', 'a33aff02c921919624524b9d2ee6deddc884a8ed9c7bb6df0e65aefbb5f673fa',
       NULL, '20261120200000_service_api', 'A migration failed to apply.', NULL, '2026-11-20T20:44:04.598Z', 0)`);
  await client.query(init?.sql ?? '');
  expect(await migrate(url, declarations.jobs)).toEqual(inOrder(later));
  expect(await migrate(url, declarations.jobs)).toEqual([]);
  const { failedMigrationNames } = await diagnosis();
  expect(failedMigrationNames).toEqual([]);
});
