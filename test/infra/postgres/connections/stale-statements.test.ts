import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createBatcher } from '#src/infra/postgres/batching/batcher.ts';
import { type Database, openDatabase } from '#src/infra/postgres/database.ts';
import { isOutage, isStaleStatement } from '#src/infra/postgres/outages.ts';
import { cloneDatabase } from '#test/setup/database.ts';

let clone: Awaited<ReturnType<typeof cloneDatabase>>;
let database: Database;
let owner: pg.Client;
const reported: string[] = [];
beforeEach(async () => {
  clone = await cloneDatabase();
  owner = new pg.Client({ connectionString: clone.url });
  await owner.connect();
  reported.length = 0;
  database = openDatabase({ url: clone.url, poolSize: 4, onError: ({ message }) => void reported.push(message) });
});
afterEach(async () => {
  await Promise.all([database.close(), owner.end()]);
  await clone.drop();
});

const statement = { name: 'read-orgs', text: 'SELECT * FROM orgs', values: [] };
const migrate = () => owner.query('ALTER TABLE orgs ADD COLUMN added_later text');
const catchFailure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'no failure',
    (error: unknown) => error,
  );
const connections = async () =>
  (
    await owner.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'causeway'`,
    )
  ).rows.map(({ pid }) => pid);

/** Prepares the statement on several connections of each pool. */
async function prepare(): Promise<void> {
  const both = (work: () => Promise<unknown>) => Promise.all([work(), work(), work()]);
  await both(() => database.system.query(statement));
  await both(() => database.tenantQuery('acme-shop', statement));
  await both(() => database.withTenantSql('acme-shop', (tx) => tx.query(statement)));
  await both(() => database.withTenant('acme-shop', (tx) => tx.query(statement)));
}

describe('statements that were prepared before a migration', () => {
  beforeEach(async () => {
    await prepare();
    await migrate();
  });

  test.each<[string, () => Promise<unknown>]>([
    ["the system's pool", () => database.system.query(statement)],
    ["a tenant's pool", () => database.tenantQuery('acme-shop', statement)],
  ])('are repeated on another connection outside of transactions, in %s', async (_in, query) => {
    await expect(Promise.all([query(), query(), query()])).resolves.toHaveLength(3);
    await query();
  });

  test.each<[string, () => Promise<unknown>]>([
    ['as the system', () => database.withSystem((tx) => tx.query(statement))],
    ['of a tenant', () => database.withTenantSql('acme-shop', (tx) => tx.query(statement))],
    ['of several tenants', () => database.withTenantSql(null, (tx) => tx.query(statement))],
    ['that Prisma began', () => database.withTenant('acme-shop', (tx) => tx.query(statement))],
    [
      'whose next statement was sent at once',
      () =>
        database.withTenantSql('acme-shop', async (tx) => {
          tx.query(statement).catch(() => undefined);
          await tx.query('SELECT 1');
        }),
    ],
  ])('are an outage once in a transaction %s', async (_which, transact) => {
    const failure = await catchFailure(transact());
    expect(failure).toSatisfy(isOutage);
    expect(failure).toSatisfy(isStaleStatement);
    for (let again = 0; again < 4; again += 1) await transact();
  });

  test('are an outage of the whole process once: the connections of all pools are replaced', async () => {
    const before = await connections();
    await catchFailure(database.withSystem((tx) => tx.query(statement)));
    for (let again = 0; again < 4; again += 1) {
      await database.withTenantSql('acme-shop', (tx) => tx.query(statement));
      await database.withTenant('acme-shop', (tx) => tx.query(statement));
    }
    expect(await connections()).not.toEqual(expect.arrayContaining([expect.toBeOneOf(before)]));
    expect(reported).toEqual(['The database was migrated since this connection prepared its statements.']);
  });

  test('are repeated with their complete batch, of which nothing was written', async () => {
    const batcher = createBatcher<string, number>({
      maxBatch: 10,
      concurrency: 1,
      patienceMs: 10,
      write: (names) =>
        database.withTenant(null, async (tx) => {
          await tx.query(`INSERT INTO orgs (id, name) SELECT name, name FROM unnest($1::text[]) AS name`, [names]);
          const { rowCount } = await tx.query(statement);
          return names.map(() => rowCount ?? 0);
        }),
    });
    expect(await Promise.all(['a', 'b', 'c'].map((name) => batcher.add(name)))).toEqual([3, 3, 3]);
    const { rows } = await owner.query('SELECT count(*)::int AS many FROM orgs');
    expect(rows).toEqual([{ many: 3 }]);
  });
});

test('another missing feature of Postgres is no outage', async () => {
  const lacking = `DO $$ BEGIN RAISE EXCEPTION 'not here' USING ERRCODE = '0A000'; END $$`;
  const failure = await catchFailure(database.system.query(lacking));
  expect(failure).toMatchObject({ code: '0A000' });
  expect(failure).not.toSatisfy(isOutage);
});
