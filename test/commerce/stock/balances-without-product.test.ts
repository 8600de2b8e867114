import { expect } from 'vitest';
import type { Tx } from '#src/infra/postgres/tx.ts';
import { test } from '#test/setup/app-test.ts';

const tenantId = 'acme-shop';
const makeProducts = (tx: Tx, skus: readonly string[]) =>
  tx.query(`INSERT INTO products (tenant_id, sku, name) SELECT $1, sku, sku FROM unnest($2::text[]) AS sku`, [
    tenantId,
    skus,
  ]);
const makeBalances = (tx: Tx, places: readonly (readonly [string, string])[]) =>
  tx.query(
    `INSERT INTO stock_balances (tenant_id, sku, location, has_product)
      SELECT $1, sku, location, false FROM unnest($2::text[], $3::text[]) AS place(sku, location)`,
    [tenantId, places.map(([sku]) => sku), places.map(([, location]) => location)],
  );
const stillWithout = async (tx: Tx): Promise<number> =>
  (await tx.query<{ count: number }>('SELECT count(*) FROM stock_balances WHERE NOT has_product')).rows[0]?.count ?? 0;

test('products are created again quickly, by a session whose plans expect no balance without one', async ({
  ownApi,
}) => {
  await ownApi.database.withTenantSql(tenantId, async (tx) => {
    await makeProducts(tx, ['First']);
    const skus = Array.from({ length: 20_000 }, (_, n) => `P-${n}`);
    await makeBalances(
      tx,
      skus.map((sku) => [sku, 'main']),
    );
    // Each with each takes 46 s.
    await tx.query(`SET LOCAL statement_timeout = '10s'`);
    await makeProducts(tx, skus.slice(0, 2_000));
    expect(await stillWithout(tx)).toBe(18_000);
  });
});

test('balances get their product flag in the order in which others lock them', async ({ ownApi: { database } }) => {
  await database.withTenantSql(tenantId, (tx) =>
    makeBalances(tx, [
      ['P', 'z'],
      ['P', 'a'],
    ]),
  );
  const isHeld = Promise.withResolvers<void>();
  const booking = database.withTenantSql(tenantId, async (tx) => {
    const lock = (location: string) =>
      tx.query(`SELECT FROM stock_balances WHERE tenant_id = $1 AND sku = 'P' AND location = $2 FOR UPDATE`, [
        tenantId,
        location,
      ]);
    await lock('a');
    isHeld.resolve();
    await expect
      .poll(async () => (await database.system.query('SELECT FROM pg_locks WHERE NOT granted')).rows.length)
      .toBeGreaterThan(0);
    await lock('z');
  });
  await isHeld.promise;
  const making = database.withTenantSql(tenantId, async (tx) => {
    await makeProducts(tx, ['P']);
    return stillWithout(tx);
  });
  expect(await Promise.all([making, booking])).toEqual([0, undefined]);
});
