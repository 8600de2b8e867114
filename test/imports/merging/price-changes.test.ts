import { expect, vi } from 'vitest';
import { importFile, type Job, makeProfile, tellOfImports } from '#test/imports/import-file.ts';
import { callPlatform } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { countRowsAtEnd, untilNobodySeesBefore } from '#test/setup/counted-rows.ts';

const rows = 1_000;

/** Prices of a list, so that `importAmount` changes all of them. */
async function openPrices(api: TestApp): Promise<{ importAmount: (amount: number) => Promise<Job> }> {
  await makeProfile(api, { name: 'products', target: 'products' });
  await makeProfile(api, { name: 'prices', target: 'prices' });
  await api.graphql(
    'mutation { createPriceList(input: { code: "EU", name: "Europe", currency: "EUR", taxIncluded: true }) { __typename } }',
  );
  const makeLines = (header: string, cell: string): string =>
    [header, ...Array.from({ length: rows }, (_, n) => `S-${n},${cell}`)].join('\n');
  await importFile(api, makeLines('sku,name', 'Mug'), 'products');
  return { importAmount: (amount) => importFile(api, makeLines('sku,amount,list', `${amount},EU`), 'prices') };
}

test('a changed price stays on its page, and no index is written', async ({ ownApi: api }) => {
  const { importAmount } = await openPrices(api);
  for (const amount of [10, 20, 30]) {
    expect(await importAmount(amount)).toMatchObject({ status: 'completed', rows_written: rows });
    await untilNobodySeesBefore(api);
  }
  const { changed, inPlace } = await countRowsAtEnd(api, '^prices$');
  expect(changed).toBe(2 * rows);
  // The few rows at the end of a page may not find room.
  expect(inPlace).toBeGreaterThan(1.8 * rows);
});

test('an import stores events if somebody subscribes to them, and none otherwise', async ({ ownApi: api }) => {
  const { importAmount } = await openPrices(api);
  const manySets = async (): Promise<number> => {
    const { rows: found } = await api.database.system.query<{ many: string }>(
      `SELECT count(*) AS many FROM import_event_sets WHERE target = 'prices' AND data ? 'prices'`,
    );
    return Number(found[0]?.many);
  };
  await importAmount(10);
  await importAmount(20);
  expect(await manySets()).toBe(0);
  await subscribe(api);
  await importAmount(30);
  expect(await manySets()).toBe(1);
});

test('a subscriber who comes while a chunk is merged gets its events and all later ones', async ({ ownApi: api }) => {
  const { importAmount } = await openPrices(api);
  await importAmount(10);
  let isMerging = Promise.resolve<unknown>(undefined);
  await api.database.withTenantSql('acme-shop', async (tx) => {
    await tx.query({ text: 'SELECT FROM price_lists FOR UPDATE' });
    isMerging = importAmount(20);
    const waiting = 'SELECT FROM pg_locks WHERE NOT granted AND transactionid = pg_current_xact_id()::xid';
    await vi.waitUntil(async () => (await tx.query({ text: waiting })).rows.length > 0, 20_000);
    await subscribe(api);
  });
  await isMerging;
  await tellOfImports(api);
  const first = await publishedPrices(api);
  await importAmount(30);
  await tellOfImports(api);
  const second = (await publishedPrices(api)).slice(rows);
  expect([first.length, second.length]).toEqual([rows, rows]);
  expect(first.map((price) => ({ ...price, amount: '30', updated_at: '' }))).toEqual(
    second.map((price) => ({ ...price, updated_at: '' })),
  );
  expect(new Set(first.map(({ amount }) => amount))).toEqual(new Set(['20']));
  // Prices of which only a trace was left, and prices that were told.
  expect(first[0]).toMatchObject({ currency: 'EUR', tax_included: true });
});

test('events that an earlier version stored describe prices as without tax', async ({ ownApi: api }) => {
  const { importAmount } = await openPrices(api);
  await subscribe(api);
  await importAmount(10);
  await api.database.system.query(
    `UPDATE import_event_sets SET data = jsonb_set(data, '{lists}',
       (SELECT jsonb_object_agg(key, value - 2) FROM jsonb_each(data -> 'lists'))) WHERE data ? 'prices'`,
  );
  await tellOfImports(api);
  expect((await publishedPrices(api))[0]).toMatchObject({ currency: 'EUR', tax_included: false });
});

async function subscribe(api: TestApp): Promise<void> {
  const body = { name: 'ERP', url: 'https://erp.example.com/hooks', topics: ['price.changed'] };
  const { status } = await callPlatform(api, 'POST', '/webhooks/destinations', { body });
  expect(status).toBe(201);
}

/** The data of the events, by the price's id within each import. */
async function publishedPrices(api: TestApp): Promise<{ amount: string }[]> {
  const { rows: events } = await api.database.system.query<{ data: { amount: string } }>(
    `SELECT data FROM outbox_events WHERE topic = 'price.changed' ORDER BY xid, (data ->> 'id')::bigint`,
  );
  return events.map(({ data }) => data);
}
