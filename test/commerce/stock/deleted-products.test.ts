import pg from 'pg';
import { beforeEach, describe, expect } from 'vitest';
import { createProduct, deleteProduct } from '#src/commerce/products/products.service.ts';
import { countStock } from '#src/commerce/stock/stock-counts.service.ts';
import { surveyCounts } from '#src/commerce/stock/stock-imports.store.ts';
import { bookMovements } from '#src/commerce/stock/stock.service.ts';
import { writeReorderPoint } from '#src/commerce/stock/stock.store.ts';
import type { SurveyedChunk } from '#src/imports/targets/target.ts';
import { systemActor } from '#src/infra/deps.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';

const tenantId = 'acme-shop';
const actor = systemActor('acme', tenantId);
const options = { mode: 'full', absent: 'keep', quantityBasis: 'physical', asOf: null } as const;
const chunk = () => ({ tenantId, jobId: made, after: 0, upTo: 1, options });
const location = 'main';

let api: TestApp;
let made = 0;
let sku: string;
let id: bigint;
test.beforeAll(async ({ api: started }) => {
  api = started;
});
beforeEach(async () => {
  sku = `DELETED-${(made += 1)}`;
  ({ id } = await createProduct(api.deps, actor, { sku, name: sku }));
});

/** The statements that make the balance of an article at a new place. */
const makers = {
  'a movement': (tx: Tx) => bookMovements(tx, actor, [{ sku, kind: 'receipt', quantity: '2', reference: sku }]),
  'a reorder point': (tx: Tx) => writeReorderPoint(tx, tenantId, { sku, location }, '2'),
  'a count of a file': async (tx: Tx) => {
    const [surveyed] = await surveyCounts(tx, chunk(), 1);
    return countStock(tx, chunk(), surveyed as SurveyedChunk);
  },
};
const refusals: Record<keyof typeof makers, unknown> = {
  'a movement': { sku: ['There is no product with this SKU.'] },
  'a reorder point': { isSold: false, isWritten: false },
  'a count of a file': { written: 0, refused: [{ n: 1, field: 'sku', reason: 'There is no product with this SKU.' }] },
};

/** The content of a file, staged like a worker does. */
async function stage(): Promise<void> {
  const admin = new pg.Client({ connectionString: api.databaseUrl });
  await admin.connect();
  await admin.query(
    'INSERT INTO import_rows (tenant_id, job_id, n, line, faulty, c1, c2, c3) VALUES ($1, $2, 1, 2, false, $3, $4, 2)',
    [tenantId, made, sku, location],
  );
  await admin.end();
}

const somebodyWaitsFor = (tx: Tx) =>
  expect
    .poll(
      async () =>
        (await tx.query('SELECT FROM pg_locks WHERE NOT granted AND transactionid = pg_current_xact_id()::xid')).rows,
    )
    .toHaveLength(1);
const balances = async () =>
  (await api.database.system.query('SELECT has_product FROM stock_balances WHERE sku = $1', [sku])).rows;

describe.for(Object.keys(makers) as (keyof typeof makers)[])('a product and its first balance, by %s:', (maker) => {
  beforeEach(stage);

  test('the deletion of a product waits, and its balance then has no product', async () => {
    let deleting: Promise<void> | undefined;
    await api.database.withTenantSql(tenantId, async (tx) => {
      await makers[maker](tx);
      deleting = deleteProduct(api.deps, actor, id);
      await somebodyWaitsFor(tx);
    });
    await deleting;
    expect(await balances()).toEqual([{ has_product: false }]);
  });

  test('no balance is created for a product that is being deleted', async () => {
    let making: Promise<unknown> | undefined;
    await api.database.withTenantSql(tenantId, async (tx) => {
      await tx.query('DELETE FROM products WHERE tenant_id = $1 AND id = $2', [tenantId, id]);
      making = api.database
        .withTenantSql(tenantId, (other): Promise<unknown> => makers[maker](other))
        .catch((error: unknown) => (error as { fields?: unknown }).fields ?? error);
      await somebodyWaitsFor(tx);
    });
    expect(await making).toEqual(refusals[maker]);
    expect(await balances()).toEqual([]);
  });
});
