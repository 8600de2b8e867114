import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { purgeExpiredState } from '#src/automation/state/state-purge.service.ts';
import { findCap, openState } from '#src/automation/state/state-store.service.ts';
import { stateLimits } from '#src/automation/state/state.inputs.ts';
import { openDatabase, type Database } from '#src/infra/postgres/database.ts';
import { cloneDatabase } from '#test/setup/database.ts';

let clone: Awaited<ReturnType<typeof cloneDatabase>>;
let database: Database;
beforeAll(async () => {
  clone = await cloneDatabase();
  database = openDatabase({ url: clone.url, poolSize: 8 });
});
afterAll(async () => {
  await database.close();
  await clone.drop();
});

const open = (tenantId = 'shop', namespace = 'orders') =>
  openState({ database }, tenantId, { [namespace]: 'read_write' });
const at = { namespace: 'orders' };
const refused = (code: string, message?: string) =>
  expect.objectContaining({ name: 'NodeError', code, ...(message && { message: expect.stringContaining(message) }) });

/** Namespaces with the sums they keep and those that their entries have. */
async function sums() {
  const { rows } = await database.system.query(
    `SELECT n.tenant_id, n.namespace, n.entries, n.bytes, coalesce(e.entries, 0)::bigint AS real_entries, coalesce(e.bytes, 0)::bigint AS real_bytes
     FROM state_namespaces n LEFT JOIN LATERAL (
       SELECT count(*) AS entries, sum(octet_length(key) + octet_length(value::text)) AS bytes FROM state_entries s
       WHERE s.tenant_id = n.tenant_id AND s.namespace = n.namespace) e ON true`,
  );
  return rows as {
    tenant_id: string;
    namespace: string;
    entries: number;
    bytes: number;
    real_entries: number;
    real_bytes: number;
  }[];
}
async function expectSums() {
  for (const { entries, bytes, real_entries, real_bytes } of await sums())
    expect([entries, bytes]).toEqual([real_entries, real_bytes]);
}
const expire = (tenantId: string, key: string) =>
  database.system.query(
    `UPDATE state_entries SET expires_at = now() - interval '1 ms' WHERE tenant_id = $1 AND key = $2`,
    [tenantId, key],
  );

describe('an entry', () => {
  test('is read back as it was written, and counts its writes from 1', async () => {
    const store = open();
    expect(await store.get('orders', 'a')).toBeUndefined();
    for (const [index, value] of [
      { n: 1.5, list: [null, '\u{1f600}'] },
      null,
      'text',
      1e300,
      [],
      { __proto__x: 1 },
    ].entries()) {
      expect(await store.set({ ...at, key: 'a', value })).toEqual({ version: index + 1 });
      expect(await store.get('orders', 'a')).toEqual({ value, version: index + 1 });
    }
    await store.delete({ ...at, key: 'a' });
    await store.delete({ ...at, key: 'a' });
    expect(await store.get('orders', 'a')).toBeUndefined();
    expect(await store.set({ ...at, key: 'a', value: 1 })).toEqual({ version: 1 });
  });

  test('is replaced and deleted only if its version is unchanged since it was read', async () => {
    const store = open();
    await expect(store.set({ ...at, key: 'cas', value: 1, version: 1 })).rejects.toEqual(refused('STATE_CONFLICT'));
    expect(await store.set({ ...at, key: 'cas', value: 1, version: 0 })).toEqual({ version: 1 });
    await expect(store.set({ ...at, key: 'cas', value: 2, version: 0 })).rejects.toEqual(refused('STATE_CONFLICT'));
    expect(await store.set({ ...at, key: 'cas', value: 2, version: 1 })).toEqual({ version: 2 });
    await expect(store.set({ ...at, key: 'cas', value: 3, version: 1 })).rejects.toEqual(refused('STATE_CONFLICT'));
    for (const version of [0, 1, 3]) {
      await expect(store.delete({ ...at, key: 'cas', version })).rejects.toEqual(refused('STATE_CONFLICT'));
    }
    expect(await store.get('orders', 'cas')).toEqual({ value: 2, version: 2 });
    await store.delete({ ...at, key: 'cas', version: 2 });
    await expect(store.delete({ ...at, key: 'cas', version: 2 })).rejects.toEqual(refused('STATE_CONFLICT'));
    await store.delete({ ...at, key: 'cas', version: 0 });
  });

  test('is recognised when the same step repeats its write, until another step writes', async () => {
    const store = open();
    const write = { ...at, key: 'once', value: 'mine', version: 0, idempotencyKey: 'run-1/step' };
    expect(await store.set(write)).toEqual({ version: 1 });
    expect(await store.set(write)).toEqual({ version: 1 });
    const next = { ...write, version: 1, idempotencyKey: 'run-2/step' };
    expect([await store.set(next), await store.set(next)]).toEqual([{ version: 2 }, { version: 2 }]);
    await expect(store.set(write)).rejects.toEqual(refused('STATE_CONFLICT'));
    await store.set({ ...at, key: 'once', value: 'other' });
    await expect(store.set(next)).rejects.toEqual(refused('STATE_CONFLICT'));
  });

  test('that has expired is absent for everyone, and its version starts over', async () => {
    const store = open();
    const key = 'brief';
    await store.set({ ...at, key, value: 1 });
    expect(await store.set({ ...at, key, value: 2, ttlSeconds: 60 })).toEqual({ version: 2 });
    expect(await store.get('orders', key)).toEqual({ value: 2, version: 2 });
    await expire('shop', key);
    expect(await store.get('orders', key)).toBeUndefined();
    await expect(store.set({ ...at, key, value: 3, version: 2 })).rejects.toEqual(refused('STATE_CONFLICT'));
    await expect(store.delete({ ...at, key, version: 2 })).rejects.toEqual(refused('STATE_CONFLICT'));
    expect(await store.set({ ...at, key, value: 3, version: 0 })).toEqual({ version: 1 });
    await expire('shop', key);
    expect(await store.set({ ...at, key, value: 4 })).toEqual({ version: 1 });
    // A write that names no time makes the entry stay.
    const { rows } = await database.system.query(`SELECT expires_at FROM state_entries WHERE key = $1`, [key]);
    expect(rows).toEqual([{ expires_at: null }]);
  });

  test('expires by itself', async () => {
    const store = open();
    await store.set({ ...at, key: 'soon', value: 1, ttlSeconds: 1 });
    await expect.poll(() => store.get('orders', 'soon'), { timeout: 60_000 }).toBeUndefined();
    const { rows } = await database.system.query(
      `SELECT extract(epoch FROM expires_at - updated_at)::float AS lived, expires_at <= now() AS is_over
       FROM state_entries WHERE tenant_id = 'shop' AND key = 'soon'`,
    );
    expect(rows).toEqual([{ lived: expect.closeTo(1, 1), is_over: true }]);
  });

  test('belongs to one tenant and one namespace', async () => {
    await open('shop').set({ ...at, key: 'own', value: 'shop' });
    expect(await open('outlet').get('orders', 'own')).toBeUndefined();
    await open('outlet').set({ ...at, key: 'own', value: 'outlet' });
    await open('shop', 'other').set({ namespace: 'other', key: 'own', value: 'other' });
    await open('outlet').delete({ ...at, key: 'own' });
    expect(await open('shop').get('orders', 'own')).toMatchObject({ value: 'shop', version: 1 });
  });
});

describe('a workflow', () => {
  const store = () => openState({ database }, 'shop', { orders: 'read_write', prices: 'read' });

  test('reaches no namespace that it does not declare', async () => {
    for (const namespace of ['other', '__proto__', 'constructor', 'toString', '', 'orders ', 'x'.repeat(10_000)]) {
      const undeclared = refused('STATE_NOT_DECLARED', 'This workflow does not declare the namespace');
      await expect(store().get(namespace, 'a')).rejects.toEqual(undeclared);
      await expect(store().set({ namespace, key: 'a', value: 1 })).rejects.toEqual(undeclared);
      await expect(store().delete({ namespace, key: 'a' })).rejects.toEqual(undeclared);
    }
  });

  test('does not write to namespaces that it declares for reading', async () => {
    await open('shop', 'prices').set({ namespace: 'prices', key: 'a', value: 1 });
    expect(await store().get('prices', 'a')).toEqual({ value: 1, version: 1 });
    const readOnly = refused('STATE_READ_ONLY');
    await expect(store().set({ namespace: 'prices', key: 'a', value: 2 })).rejects.toEqual(readOnly);
    await expect(store().delete({ namespace: 'prices', key: 'a' })).rejects.toEqual(readOnly);
    expect(await store().get('prices', 'a')).toEqual({ value: 1, version: 1 });
  });

  test('may be denied all writes, with a reason', async () => {
    const test = openState({ database }, 'shop', { orders: 'read_write' }, { readOnly: 'Writes stay run-only.' });
    await expect(test.set({ ...at, key: 'a', value: 1 })).rejects.toEqual(refused('STATE_READ_ONLY', 'run-only'));
    await expect(test.delete({ ...at, key: 'a' })).rejects.toEqual(refused('STATE_READ_ONLY', 'run-only'));
  });

  let deep: unknown = 1;
  for (let level = 0; level < 50_000; level += 1) deep = [deep];
  test.each<[string, object]>([
    ['an empty key', { key: '' }],
    ['a key of 513 characters', { key: 'k'.repeat(513) }],
    ['a NUL in the key', { key: 'a\0' }],
    ['half a pair in the key', { key: '\ud800' }],
    ['a NUL in the value', { value: { a: ['\0'] } }],
    ['half a pair in a name of the value', { value: { '\udc00': 1 } }],
    ['a value one byte over 256 KiB', { value: 'x'.repeat(256 * 1024 - 1) }],
    ['a value of bytes rather than characters over it', { value: '\u{1f600}'.repeat(66_000) }],
    ['a value that nests without end', { value: deep }],
    ['a negative version', { version: -1 }],
    ['half a version', { version: 1.5 }],
    ['no time to live', { ttlSeconds: 0 }],
    ['more time than there is', { ttlSeconds: 1e12 }],
  ])('is told what is wrong with %s, and writes nothing', async (_what, given) => {
    const before = await sums();
    const write = { ...at, key: 'hostile', value: 1, ...given };
    await expect(store().set(write)).rejects.toEqual(refused('INVALID_STATE'));
    expect(await sums()).toEqual(before);
  });

  test('stores values that are exactly at a limit', async () => {
    const key = 'ü'.repeat(512);
    const value = 'x'.repeat(256 * 1024 - 2);
    await store().set({ ...at, key, value, ttlSeconds: stateLimits.ttlSeconds });
    expect(await store().get('orders', key)).toEqual({ value, version: 1 });
    await store().delete({ ...at, key });
  });
});

describe('the sums of a namespace', () => {
  const names = ['one', 'two'];
  const keys = ['a', 'b', 'c'];
  const place = { namespace: fc.constantFrom(...names), key: fc.constantFrom(...keys) };
  const operation = fc.oneof(
    fc.record({
      do: fc.constant('set' as const),
      ...place,
      value: fc.jsonValue({ maxDepth: 1 }),
      version: fc.constantFrom(undefined, 0, 1, 2),
    }),
    fc.record({ do: fc.constant('delete' as const), ...place, version: fc.constantFrom(undefined, 1) }),
    fc.record({ do: fc.constant('expire' as const), ...place }),
    fc.record({ do: fc.constant('purge' as const) }),
  );

  test('match its entries, also under concurrent writers', async () => {
    const store = openState({ database }, 'law', { one: 'read_write', two: 'read_write' });
    let refusals = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 8, maxLength: 24 }), async (operations) => {
        await Promise.all(
          operations.map(async (op) => {
            try {
              if (op.do === 'set') {
                const { version, namespace, key, value } = op;
                await store.set({ namespace, key, value, ...(version !== undefined && { version }) });
              } else if (op.do === 'delete') {
                const { version, namespace, key } = op;
                await store.delete({ namespace, key, ...(version !== undefined && { version }) });
              } else if (op.do === 'expire') await expire('law', op.key);
              else await purgeExpiredState({ database });
            } catch (error) {
              expect(error).toEqual(refused('STATE_CONFLICT'));
              refusals += 1;
            }
          }),
        );
        await expectSums();
      }),
      { numRuns: 25 },
    );
    expect(refusals).toBeGreaterThan(0);
    await store.set({ namespace: 'one', key: 'last', value: 1 });
    expect((await sums()).filter(({ tenant_id }) => tenant_id === 'law').map(({ namespace }) => namespace)).toContain(
      'one',
    );
  });

  test('are one row each, and lose no concurrent write of one key', async () => {
    const store = openState({ database }, 'counter', { n: 'read_write' });
    const add = async (): Promise<void> => {
      for (;;) {
        const found = await store.get('n', 'count');
        try {
          await store.set({
            namespace: 'n',
            key: 'count',
            value: Number(found?.value ?? 0) + 1,
            version: found?.version ?? 0,
          });
          return;
        } catch (error) {
          expect(error).toEqual(refused('STATE_CONFLICT'));
        }
      }
    };
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        for (let n = 0; n < 10; n += 1) await add();
      }),
    );
    expect(await store.get('n', 'count')).toEqual({ value: 80, version: 80 });
    await expectSums();
  });
});

describe('the caps', () => {
  /** Fills a namespace in one statement. */
  async function fill(tenantId: string, { entries, bytes }: { entries: number; bytes: number }) {
    await open(tenantId).set({ ...at, key: 'first', value: 1 });
    await database.system.query(
      `INSERT INTO state_entries (tenant_id, namespace, key, value, size)
       SELECT $1, 'orders', 'n' || n, '1', $3 FROM generate_series(1, $2::int) n`,
      [tenantId, entries - 1, Math.floor((bytes - 6) / (entries - 1))],
    );
  }
  const full = refused('STATE_FULL');

  test('keep a namespace at 100,000 entries, also under concurrent writes', async () => {
    await fill('many', { entries: stateLimits.entries - 1, bytes: 1e6 });
    const store = open('many');
    const ends = await Promise.allSettled(
      Array.from({ length: 8 }, (_, n) => store.set({ ...at, key: `last-${n}`, value: 1 })),
    );
    const lost = ends.filter(({ status }) => status === 'rejected');
    expect(lost).toHaveLength(7);
    for (const end of lost) expect(end).toMatchObject({ reason: full });
    await expect(store.set({ ...at, key: 'more', value: 1 })).rejects.toEqual(refused('STATE_FULL', '100000 entries'));
    // Existing entries can still be replaced, and freed room can be used.
    expect(await store.set({ ...at, key: 'n1', value: 2 })).toEqual({ version: 2 });
    await store.delete({ ...at, key: 'n1' });
    expect(await store.set({ ...at, key: 'more', value: 1 })).toEqual({ version: 1 });
  });

  test.each([
    ['entries', stateLimits.entries + 1, 'no-place'],
    ['bytes', stateLimits.bytes + 1, 'no-bytes'],
  ])('of the database are those of the rules, and told by name on both ways to it: %s', async (column, over, cap) => {
    await open('told').set({ ...at, key: 'a', value: 1 });
    const raise = (to: number) =>
      `UPDATE state_namespaces SET ${column} = ${to} WHERE namespace = 'orders' AND tenant_id = 'told'`;
    const raw = database.tenantQuery('told', { text: raise(over) });
    const inTransaction = database.withTenant('told', (tx) => tx.$executeRawUnsafe(raise(over)));
    expect(await Promise.all([raw, inTransaction].map((refusal) => refusal.catch(findCap)))).toEqual([cap, cap]);
    await database.system.query(raise(over - 1));
    await database.system.query(raise(column === 'entries' ? 1 : 2));
  });

  test('keep a namespace at 64 MiB', async () => {
    const store = open('heavy');
    await fill('heavy', { entries: 10, bytes: stateLimits.bytes - 1_000 });
    await expect(store.set({ ...at, key: 'more', value: 'x'.repeat(2_000) })).rejects.toEqual(
      refused('STATE_FULL', 'bytes'),
    );
    await expect(store.set({ ...at, key: 'first', value: 'x'.repeat(8_000_000 / 100), version: 1 })).rejects.toEqual(
      full,
    );
    expect(await store.set({ ...at, key: 'more', value: 'x'.repeat(500) })).toEqual({ version: 1 });
    const ends = await Promise.allSettled(
      Array.from({ length: 6 }, (_, n) => store.set({ ...at, key: `m${n}`, value: 'x'.repeat(300) })),
    );
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('keep a tenant at 100 namespaces, and empty ones are replaced', async () => {
    const access = Object.fromEntries(Array.from({ length: 110 }, (_, n) => [`ns-${n}`, 'read_write' as const]));
    const store = openState({ database }, 'wide', access);
    const ends = await Promise.allSettled(
      Object.keys(access).map((namespace) => store.set({ namespace, key: 'a', value: 1 })),
    );
    const lost = Object.keys(access).filter((_, n) => ends[n]?.status === 'rejected');
    expect(lost).toHaveLength(10);
    const [late = ''] = lost;
    await expect(store.set({ namespace: late, key: 'a', value: 1 })).rejects.toEqual(
      refused('STATE_FULL', '100 namespaces'),
    );
    const kept = Object.keys(access).find((name) => !lost.includes(name)) ?? '';
    await store.delete({ namespace: kept, key: 'a' });
    await expect(store.set({ namespace: late, key: 'a', value: 1 })).rejects.toEqual(full);
    await database.system.query(
      `UPDATE state_namespaces SET updated_at = now() - interval '2 minutes' WHERE tenant_id = 'wide' AND namespace = $1`,
      [kept],
    );
    expect(await store.set({ namespace: late, key: 'a', value: 1 })).toEqual({ version: 1 });
    expect((await sums()).filter(({ tenant_id }) => tenant_id === 'wide')).toHaveLength(100);
  });
});

describe('upkeep', () => {
  test('deletes expired entries only, in batches, and corrects the sums', async () => {
    const store = openState({ database }, 'upkeep', { a: 'read_write', b: 'read_write' });
    for (const namespace of ['a', 'b']) await store.set({ namespace, key: 'stays', value: 1, ttlSeconds: 60 });
    await database.system.query(
      `INSERT INTO state_entries (tenant_id, namespace, key, value, size, expires_at)
       SELECT 'upkeep', CASE n % 2 WHEN 0 THEN 'a' ELSE 'b' END, 'n' || n, '1', 2, now() - interval '1 s' FROM generate_series(1, 2500) n`,
    );
    expect(await purgeExpiredState({ database }, 1)).toBe(1_000);
    const both = await Promise.all([purgeExpiredState({ database }), purgeExpiredState({ database })]);
    expect(both[0] + both[1]).toBeGreaterThanOrEqual(1_500);
    expect(await purgeExpiredState({ database })).toBe(0);
    const left = (await sums()).filter(({ tenant_id }) => tenant_id === 'upkeep');
    expect(left.map(({ entries, real_entries }) => [entries, real_entries])).toEqual([
      [1, 1],
      [1, 1],
    ]);
    expect(await store.get('a', 'stays')).toEqual({ value: 1, version: 1 });
  });
});
