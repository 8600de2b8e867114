import { readFile } from 'node:fs/promises';
import { expect } from 'vitest';
import { createPriceList } from '#src/commerce/prices/price-lists.service.ts';
import { upsertPrice } from '#src/commerce/prices/prices.service.ts';
import { createProduct } from '#src/commerce/products/products.service.ts';
import { systemActor } from '#src/infra/deps.ts';
import { callPlatform } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';

const page = new URL('../../../docs/prices.md', import.meta.url);

test('the trace in docs/prices.md is what its lists yield', async ({ api }) => {
  const [, example = ''] = /<!-- example -->\s+```json\n(.*?)```/s.exec(await readFile(page, 'utf8')) ?? [];
  const actor = systemActor('acme', 'acme-shop');
  await createProduct(api.deps, actor, { sku: 'MUG-1', name: 'Mug' });
  const lists = {
    SUMMER: { priority: 9, validUntil: new Date('2026-01-01T00:00:00Z'), tiers: { 1: '1.00' } },
    VIP: { priority: 5, customer: 'C-2', tiers: { 1: '2.00' } },
    BIG: { priority: 4, tiers: { 50: '9.00' } },
    BASE: { tiers: { 1: '10.00', 10: '9.50', 100: '8.00' } },
    OLD: { tiers: { 1: '7.00' } },
    SPARE: { tiers: {} },
  };
  for (const [code, { tiers, ...list }] of Object.entries(lists)) {
    await createPriceList(api.deps, actor, { code, name: code, currency: 'EUR', ...list });
    for (const [quantityFrom, amount] of Object.entries(tiers)) {
      await upsertPrice(api.deps, actor, { list: code, sku: 'MUG-1', quantityFrom, amount });
    }
  }
  const asked = { sku: 'MUG-1', quantity: 12, currency: 'EUR', customer: 'C-1', at: '2026-02-01T00:00:00Z' };
  const { body } = await callPlatform(api, 'POST', '/prices/resolve', { body: asked });
  expect(body).toEqual(JSON.parse(example));
});
