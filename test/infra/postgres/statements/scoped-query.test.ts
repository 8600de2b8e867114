import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase, type Database } from '#src/infra/postgres/database.ts';
import { isoInstant, isoInstants } from '#src/infra/postgres/statements/instants.ts';
import { cloneDatabase } from '#test/setup/database.ts';

let database: Database;
let drop: () => Promise<void>;
beforeAll(async () => {
  const clone = await cloneDatabase();
  drop = clone.drop;
  // One connection, so that whatever a query leaves behind meets the next.
  database = openDatabase({ url: clone.url, poolSize: 1 });
  await database.system.query(
    `INSERT INTO workflows (tenant_id, name, blob) SELECT 't' || n, 'flow of t' || n, '{}' FROM generate_series(1, 3) AS n`,
  );
});
afterAll(async () => {
  await database.close();
  await drop();
});

const named = { name: 'all-flows', text: 'SELECT name FROM workflows', values: [] };
const flows = (tenantId: string) => database.tenantQuery<{ name: string }>(tenantId, named);

describe('a raw query of one tenant', () => {
  test('sees that tenant only, query after query on one connection, prepared or not', async () => {
    for (const tenant of ['t1', 't2', 't1', 't3']) {
      expect(await flows(tenant)).toEqual([{ name: `flow of ${tenant}` }]);
      const plain = await database.tenantQuery(tenant, {
        text: 'SELECT name FROM workflows WHERE name LIKE $1',
        values: ['flow%'],
      });
      expect(plain).toEqual([{ name: `flow of ${tenant}` }]);
    }
  });

  test('sees nothing without a tenant, nor with an unknown one', async () => {
    expect(await flows('')).toEqual([]);
    expect(await flows(`t1' OR 'a'='a`)).toEqual([]);
  });

  test('leaves no tenant behind on the connection', async () => {
    await flows('t1');
    const [row] = await database.global.$queryRaw<
      { tenant: string | null }[]
    >`SELECT current_setting('causeway.tenant_id', true) AS tenant`;
    expect(row?.tenant || null).toBeNull();
    expect(await database.global.workflow.count()).toBe(0);
  });

  test('separates tenants when many query concurrently', async () => {
    const asked = Array.from({ length: 60 }, (_, n) => `t${1 + (n % 3)}`);
    expect(await Promise.all(asked.map(flows))).toEqual(asked.map((tenant) => [{ name: `flow of ${tenant}` }]));
  });

  test.each([
    ['cannot be parsed', { name: 'broken', text: 'SELECT nonsense FROM nowhere', values: [] }],
    ['fails as it runs', { text: 'SELECT 1 / $1::int', values: [0] }],
    ['has a value that cannot be sent', { text: 'SELECT $1::int', values: ['not a number'] }],
    [
      'breaks the policy',
      { text: `INSERT INTO workflows (tenant_id, name, blob) VALUES ('t2', $1, '{}')`, values: ['stolen'] },
    ],
  ])('fails when the statement %s, and the next query is well', async (_name, query) => {
    await expect(database.tenantQuery('t1', query)).rejects.toThrow();
    expect(await flows('t2')).toEqual([{ name: 'flow of t2' }]);
  });

  test('returns many rows as well as none', async () => {
    const rows = await database.tenantQuery<{ n: number }>('t1', {
      text: 'SELECT n::int8 FROM generate_series(1, $1::int) AS n',
      values: [5000],
    });
    expect(rows).toHaveLength(5000);
    expect(rows.at(-1)).toEqual({ n: 5000 });
    expect(await database.tenantQuery('t1', { text: 'SELECT 1 WHERE false' })).toEqual([]);
  });

  test('rolls a write back with an error in the same statement, and keeps a valid one', async () => {
    const failing = { text: `UPDATE workflows SET name = (1 / (length(name) - length(name)))::text` };
    await expect(database.tenantQuery('t3', failing)).rejects.toThrow('division by zero');
    await database.tenantQuery('t3', { text: `UPDATE workflows SET description = 'kept'` });
    expect(await database.tenantQuery('t3', { text: 'SELECT name, description FROM workflows' })).toEqual([
      { name: 'flow of t3', description: 'kept' },
    ]);
    expect(await database.tenantQuery('t1', { text: 'SELECT description FROM workflows' })).toEqual([
      { description: null },
    ]);
  });
});

describe('instants as text', () => {
  test.each([
    ['2026-01-31 12:00:00+00', '2026-01-31T12:00:00.000Z'],
    ['2026-01-31 12:00:00.1+00', '2026-01-31T12:00:00.100Z'],
    ['2026-01-31 12:00:00.12+00', '2026-01-31T12:00:00.120Z'],
    ['2026-01-31 12:00:00.123+00', '2026-01-31T12:00:00.123Z'],
  ])('writes %s as %s', (given, expected) => {
    expect(isoInstant(given)).toBe(expected);
  });

  test('agrees with Date on the values of Postgres, whatever the server’s zone', async () => {
    const text = `SELECT t, (extract(epoch FROM t) * 1000)::bigint AS ms FROM unnest(ARRAY['1970-01-01Z', '2026-07-01 23:59:59.999Z', '2026-07-02 01:00:00.05+02']::timestamptz(3)[]) AS t`;
    const rows = await database.tenantQuery<{ t: string; ms: number }>('t1', { text, types: isoInstants });
    expect(rows.map(({ t }) => t)).toEqual(rows.map(({ ms }) => new Date(ms).toISOString()));
  });
});
