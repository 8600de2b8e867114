import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { declarations } from '#src/domains/domains.ts';
import { applyMigration } from '#src/infra/migrations/apply-migration.ts';
import { migrating } from '#src/infra/migrations/lock-holders.ts';
import { lockLimits } from '#src/infra/migrations/lock-waits.ts';
import { migrate } from '#src/infra/migrations/migrate.ts';
import { cloneDatabase } from '#test/setup/database.ts';

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let client: pg.Client;
let reader: pg.Client;
const said: string[] = [];
beforeEach(async () => {
  database = await cloneDatabase();
  client = new pg.Client({ connectionString: database.url, application_name: migrating });
  reader = new pg.Client({ connectionString: database.url, application_name: 'nightly-report' });
  await Promise.all([client.connect(), reader.connect()]);
  said.length = 0;
});
afterEach(async () => {
  await Promise.all([client.end(), reader.end()]);
  await database.drop();
});

// Long enough to connect and look for the holder meanwhile, on a busy machine too.
const limits = { ...lockLimits, lockMs: 3_000, pauseMs: 300 };
const say = (message: string) => void said.push(message);
const log = { warn: (_details: object, message: string) => say(message), error: () => undefined };
const session = () => ({ client, url: database.url, limits, say });
const migration = (sql: string) => ({ name: '20990101000000_later', sql, checksum: 'c' });
const recorded = async () =>
  (await client.query(`SELECT FROM _prisma_migrations WHERE migration_name = '20990101000000_later'`)).rowCount;

/** Makes the database lack a migration that alters `import_profiles`. */
async function forgetMigration(): Promise<void> {
  await client.query(`ALTER TABLE import_profiles DROP COLUMN max_rejected`);
  await client.query(`DELETE FROM _prisma_migrations WHERE migration_name LIKE '%_max_rejected'`);
}

async function openRead(sql: string): Promise<void> {
  await reader.query('BEGIN');
  await reader.query(sql);
}

describe('a migration whose table is being read', () => {
  beforeEach(forgetMigration);

  test('lets other queries of it pass, says who holds the lock, and is applied when the reader ends', async () => {
    await openRead('SELECT count(*) FROM import_profiles');
    const migrating = migrate(database.url, declarations.jobs, { log, limits });
    let longestMs = 0;
    await vi.waitFor(
      async () => {
        const began = performance.now();
        await client.query('SELECT count(*) FROM import_profiles');
        longestMs = Math.max(longestMs, performance.now() - began);
        expect(said).toHaveLength(2);
      },
      { timeout: 60_000, interval: 20 },
    );
    // Waited for once at least, and never longer than the migration waits.
    expect(longestMs).toBeGreaterThan(100);
    expect(longestMs).toBeLessThan(limits.lockMs + 2_000);
    await reader.query('COMMIT');
    expect(await migrating).toEqual([expect.stringMatching(/_max_rejected$/)]);
    expect(said[0]).toMatch(
      /^Migration \d+_max_rejected waits for a lock held on import_profiles: process \d+ \(nightly-report, user postgres, idle in transaction, in its transaction for \d+ s\)\. Attempt 1 of 10/,
    );
  });

  test('gives up after its last attempt with the holder and what to do', async () => {
    await openRead('SELECT count(*) FROM import_profiles');
    await expect(migrate(database.url, declarations.jobs, { log, limits: { ...limits, attempts: 2 } })).rejects.toThrow(
      /did not get a lock in 2 attempts .* held on import_profiles: process \d+ \(nightly-report, .*pg_terminate_backend/,
    );
    await reader.query('COMMIT');
    expect(await migrate(database.url, declarations.jobs)).toHaveLength(1);
  });
});

const valid = async (index: string) =>
  (
    await client.query<{ valid: boolean }>(
      'SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass($1)',
      [index],
    )
  ).rows.map((row) => row.valid);

describe('a migration that builds an index concurrently', () => {
  const later = migration(`-- Why.
CREATE INDEX CONCURRENTLY "orgs_by_name" ON "orgs" ("name", (position(';' in "name")));
CREATE UNIQUE INDEX CONCURRENTLY orgs_by_both ON orgs (name, id) WHERE name <> '';`);

  test('lets writes pass while it waits for an older transaction, and says for which', async () => {
    await openRead(`INSERT INTO orgs (id, name) VALUES ('a', 'A')`);
    const applied = applyMigration(session(), later);
    await vi.waitFor(() => expect(said).toHaveLength(1), { timeout: 30_000 });
    const writer = new pg.Client({ connectionString: database.url, statement_timeout: 1_000 });
    await writer.connect();
    await writer.query(`INSERT INTO orgs (id, name) VALUES ('b', 'B')`);
    await writer.end();
    await reader.query('COMMIT');
    await applied;
    expect(said[0]).toMatch(/^Building the index orgs_by_name waits .* process \d+ \(nightly-report/);
    expect([await valid('orgs_by_name'), await valid('orgs_by_both'), await recorded()]).toEqual([[true], [true], 1]);
  });

  test('replaces an INVALID one of an interrupted attempt, and keeps a valid one', async () => {
    await client.query('CREATE UNIQUE INDEX orgs_by_both ON orgs (name, id)');
    await openRead(`INSERT INTO orgs (id, name) VALUES ('a', 'A')`);
    const killed = new pg.Client({ connectionString: database.url });
    await killed.connect();
    await killed.query('SET lock_timeout = 100');
    await expect(killed.query('CREATE INDEX CONCURRENTLY orgs_by_name ON orgs (name)')).rejects.toThrow('lock timeout');
    await killed.end();
    await reader.query('COMMIT');
    expect(await valid('orgs_by_name')).toEqual([false]);
    await applyMigration(session(), later);
    expect([await valid('orgs_by_name'), await valid('orgs_by_both'), await recorded()]).toEqual([[true], [true], 1]);
  });

  test('leaves no INVALID index behind when it fails, and is applied once the reason is gone', async () => {
    await client.query(`INSERT INTO orgs (id, name) VALUES ('a', 'A'), ('b', 'A')`);
    const unique = migration('CREATE UNIQUE INDEX CONCURRENTLY orgs_by_name ON orgs (name)');
    await expect(applyMigration(session(), unique)).rejects.toThrow(
      /^Migration 20990101000000_later failed, .*could not create unique index/,
    );
    expect([await valid('orgs_by_name'), await recorded()]).toEqual([[], 0]);
    await client.query(`UPDATE orgs SET name = id`);
    await applyMigration(session(), unique);
    expect([await valid('orgs_by_name'), await recorded()]).toEqual([[true], 1]);
  });

  test('builds it on each partition, and continues after an interruption', async () => {
    const { rows } = await client.query<{ many: number }>(
      `SELECT count(*)::int AS many FROM pg_inherits WHERE inhparent = 'runs'::regclass`,
    );
    await client.query(`CREATE INDEX runs_by_state ON ONLY runs (status, id)`);
    await client.query(`CREATE INDEX runs_by_state_runs_p0 ON runs_p0 (status, id)`);
    expect(await valid('runs_by_state')).toEqual([false]);
    await applyMigration(session(), migration('CREATE INDEX CONCURRENTLY runs_by_state ON runs (status, id)'));
    expect(await valid('runs_by_state')).toEqual([true]);
    const attached = await client.query(`SELECT FROM pg_inherits WHERE inhparent = 'runs_by_state'::regclass`);
    expect(attached.rowCount).toBe(rows[0]?.many);
    await applyMigration(session(), migration('DROP INDEX CONCURRENTLY runs_by_state; DROP INDEX CONCURRENTLY gone'));
    expect(await valid('runs_by_state')).toEqual([]);
  });

  test('contains nothing else', async () => {
    const mixed = migration('CREATE INDEX CONCURRENTLY a ON orgs (name); ALTER TABLE orgs ADD COLUMN b text');
    await expect(applyMigration(session(), mixed)).rejects.toThrow(/holds nothing else.*ALTER TABLE orgs/);
    expect(await valid('a')).toEqual([]);
  });

  test('is not delayed by another process that waits to migrate', async () => {
    await forgetMigration();
    await client.query(`SELECT pg_advisory_lock(hashtext('causeway.migrate'))`);
    const waiting = migrate(database.url, declarations.jobs, { log });
    await vi.waitFor(() => expect(said).toContain('Another process migrates the database; this one waits for it.'), {
      timeout: 30_000,
    });
    await applyMigration(session(), migration('CREATE INDEX CONCURRENTLY orgs_by_name ON orgs (name)'));
    await client.query(`DELETE FROM _prisma_migrations WHERE migration_name = '20990101000000_later'`);
    await client.query(`SELECT pg_advisory_unlock_all()`);
    expect(await waiting).toHaveLength(1);
  });
});
