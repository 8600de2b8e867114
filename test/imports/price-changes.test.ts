import { expect, vi } from 'vitest';
import { callPlatform } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { importFile, type Job, makeProfile, startImportWorker } from './import-file.ts';

const rows = 1_000;

/** Prices of a list, so that `importAmount` changes all of them. */
async function openPrices(api: TestApp): Promise<{ importAmount: (amount: number) => Promise<Job> }> {
  await startImportWorker(api);
  await makeProfile(api, { name: 'products', target: 'products' });
  await makeProfile(api, { name: 'prices', target: 'prices' });
  await api.graphql(
    'mutation { createPriceList(input: { code: "EU", name: "Europe", currency: "EUR" }) { __typename } }',
  );
  const linesOf = (header: string, cell: string): string =>
    [header, ...Array.from({ length: rows }, (_, n) => `S-${n},${cell}`)].join('\n');
  await importFile(api, linesOf('sku,name', 'Mug'), 'products');
  return { importAmount: (amount) => importFile(api, linesOf('sku,amount,list', `${amount},EU`), 'prices') };
}

test('a price that a file changes stays on its page, and no index is written', async ({ ownApi: api }) => {
  const { importAmount } = await openPrices(api);
  for (const amount of [10, 20, 30])
    expect(await importAmount(amount)).toMatchObject({ status: 'completed', rows_written: rows });
  // What a transaction wrote is reported up to ten seconds after it. The few rows at the end of a page may not find room.
  await vi.waitFor(async () => {
    const { rows: found } = await api.database.system.query<{ changed: string; inPlace: string }>(
      `SELECT n_tup_upd AS changed, n_tup_hot_upd AS "inPlace" FROM pg_stat_user_tables WHERE relname = 'prices'`,
    );
    expect(Number(found[0]?.changed)).toBe(2 * rows);
    expect(Number(found[0]?.inPlace)).toBeGreaterThan(1.8 * rows);
  }, 20_000);
});

test('an import leaves events for those who wait for them, and none for nobody', async ({ ownApi: api }) => {
  const { importAmount } = await openPrices(api);
  const manySets = async (): Promise<number> => {
    const { rows: found } = await api.database.system.query<{ many: string }>(
      `SELECT count(*) AS many FROM import_event_sets WHERE target = 'prices'`,
    );
    return Number(found[0]?.many);
  };
  await importAmount(10);
  await importAmount(20);
  expect(await manySets()).toBe(0);
  const hook = { name: 'ERP', url: 'https://erp.example.com/hooks', topics: ['price.changed'] };
  await callPlatform(api, 'POST', '/webhooks/destinations', { body: hook });
  await importAmount(30);
  expect(await manySets()).toBe(1);
});
