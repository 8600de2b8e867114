import pg from 'pg';
import { PgBoss } from 'pg-boss';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { schemaDifference } from '#scripts/schema-difference.ts';
import { declarations } from '#src/domains/domains.ts';
import { deadJobsQueue, installQueues } from '#src/infra/jobs.ts';
import { migrate } from '#src/infra/migrations/migrate.ts';
import { readMigrations } from '#src/infra/migrations/migrations.ts';
import { cloneDatabase } from '#test/setup/database.ts';

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let client: pg.Client;
beforeEach(async () => {
  database = await cloneDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});
afterEach(async () => {
  await client.end();
  await database.drop();
});

const retryLimit = async (name: string) =>
  (await client.query<{ retry_limit: number }>('SELECT retry_limit FROM pgboss.queue WHERE name = $1', [name])).rows[0]
    ?.retry_limit;

describe('migrate', () => {
  test('changes nothing in a database that is up to date', async () => {
    // Whatever migrating does beyond looking, it takes this lock; held here, it would wait and the test would end.
    await client.query(`SELECT pg_advisory_lock(hashtext('causeway.migrate'))`);
    expect(await migrate(database.url, declarations.jobs)).toEqual([]);
  });

  test('updates the queues when only a definition changed', async () => {
    const [first, ...rest] = declarations.jobs;
    if (!first) throw new Error('There are no jobs.');
    const changed = { ...first, retry: { ...first.retry, limit: first.retry.limit + 7 } };
    await migrate(database.url, [changed, ...rest]);
    expect(await retryLimit(first.name)).toBe(first.retry.limit + 7);
    await installQueues(database.url, declarations.jobs, { name: 'test', lockMs: 2_000 });
    expect(await retryLimit(first.name)).toBe(first.retry.limit);
  });

  test('moves dead letters from the former name of their queue', async () => {
    const former = 'platform.jobs.dead';
    const [job] = declarations.jobs;
    if (!job) throw new Error('There are no jobs.');
    const boss = new PgBoss({ connectionString: database.url, supervise: false, schedule: false, max: 1 });
    await boss.start();
    await boss.createQueue(former);
    await boss.updateQueue(job.name, { deadLetter: former });
    const deadId = await boss.send(former, { workflowId: 1 });
    const waitingId = await boss.send(job.name, {});
    await boss.stop({ graceful: false });
    await client.query(`COMMENT ON SCHEMA pgboss IS 'the queues of an earlier version'`);

    await migrate(database.url, declarations.jobs);
    const { rows } = await client.query(
      'SELECT name, dead_letter, data FROM pgboss.job WHERE id = ANY ($1::uuid[]) ORDER BY name = $2 DESC',
      [[deadId, waitingId], deadJobsQueue],
    );
    expect(rows).toEqual([
      { name: deadJobsQueue, dead_letter: null, data: { workflowId: 1 } },
      { name: job.name, dead_letter: deadJobsQueue, data: {} },
    ]);
    const { rowCount } = await client.query('SELECT FROM pgboss.queue WHERE $1 IN (name, dead_letter)', [former]);
    expect(rowCount).toBe(0);
  });

  test('lets one of several processes do the work and the others wait for it', async () => {
    await client.query('DROP SCHEMA pgboss CASCADE');
    expect(await Promise.all([1, 2, 3].map(() => migrate(database.url, declarations.jobs)))).toEqual([[], [], []]);
    expect(await retryLimit(declarations.jobs[0]?.name ?? '')).toBe(declarations.jobs[0]?.retry.limit);
  });

  test('reports why a migration failed, and can be retried', async () => {
    const { rows } = await client.query<{ migration_name: string }>(
      `DELETE FROM _prisma_migrations
       WHERE migration_name = (SELECT min(migration_name) FROM _prisma_migrations) RETURNING migration_name`,
    );
    const [first] = rows.map((row) => row.migration_name);
    const attempt = () => migrate(database.url, declarations.jobs);
    await expect(attempt()).rejects.toThrow(new RegExp(`Migration ${first} failed.*already exists`));
    await expect(attempt()).rejects.toThrow(new RegExp(`Migration ${first} failed.*already exists`));
  });

  test('records nothing of a migration that failed', async () => {
    await client.query(`UPDATE _prisma_migrations SET rolled_back_at = now()`);
    await expect(migrate(database.url, declarations.jobs)).rejects.toThrow('nothing of it was kept');
    const { rows } = await client.query('SELECT FROM _prisma_migrations WHERE rolled_back_at IS NULL');
    expect(rows).toEqual([]);
  });

  test('refuses a database that a later version has migrated', async () => {
    await client.query(`INSERT INTO _prisma_migrations (id, migration_name, checksum, finished_at)
      VALUES ('a', '20990101000000_later', 'c', now()), ('b', '20980101000000_failed', 'c', NULL)`);
    await expect(migrate(database.url, declarations.jobs)).rejects.toThrow(
      /^The database has migrations that this version of Causeway does not know: 20990101000000_later\. Start/,
    );
  });

  test('refuses a migration that has changed since it was applied', async () => {
    const [first] = await readMigrations();
    await client.query(`UPDATE _prisma_migrations SET checksum = 'other' WHERE migration_name = $1`, [first?.name]);
    await expect(migrate(database.url, declarations.jobs)).rejects.toThrow(
      `prisma/migrations/${first?.name}/migration.sql has changed since it was applied`,
    );
  });

  test('creates the tables that the schema describes, and a difference would be found', async () => {
    expect(await schemaDifference(database.url)).toBe('');
    await client.query('ALTER TABLE orgs ADD COLUMN forgotten text');
    expect(await schemaDifference(database.url)).toContain('forgotten');
  });
});
