import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { resolvePrices } from '#src/commerce/prices/price-resolution.service.ts';
import { createProduct } from '#src/commerce/products/products.service.ts';
import { systemActor } from '#src/infra/deps.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { type ModelBuyer, type ModelList, naivePrice, taxRate } from './naive-prices.ts';

let api: TestApp;
test.beforeAll(async ({ api: started }) => {
  api = started;
  for (const sku of skus)
    await createProduct(api.deps, systemActor('acme', tenantId), { sku, name: sku, taxRate: String(taxRate) });
});

const tenantId = 'acme-shop';
// Few of each, so that lists, windows and tiers meet.
const skus = ['A', 'B', 'C'];
const instant = fc.integer({ min: 0, max: 5 }).map((day) => new Date(Date.UTC(2026, 0, 1 + day)));
const window = fc
  .tuple(fc.option(instant), fc.option(instant))
  .map(([one, other]) =>
    one !== null && other !== null && one >= other
      ? { validFrom: one, validUntil: null }
      : { validFrom: one, validUntil: other },
  );
const scope = fc.option(fc.constantFrom('x', 'y'));
const quantity = fc.constantFrom('0.5', '1', '2', '2.000001', '10');
const tier = fc
  .record({
    sku: fc.constantFrom(...skus),
    quantityFrom: quantity,
    // 12.00 with the tax is 9.60 without: dearer than 9.50, and cheaper than 10.
    amount: fc.constantFrom('0', '9.5', '9.50', '10.00', '12', '11.875', '12.5'),
    window,
  })
  .map(({ window: its, ...rest }) => ({ ...rest, ...its }));
const list = fc
  .record({
    currency: fc.constantFrom('EUR', 'EUR', 'CHF'),
    taxIncluded: fc.boolean(),
    customer: scope,
    channel: scope,
    market: scope,
    priority: fc.integer({ min: -1, max: 1 }),
    window,
    tiers: fc.uniqueArray(tier, {
      maxLength: 12,
      selector: ({ sku, quantityFrom, validFrom }) => `${sku} ${quantityFrom} ${validFrom?.getTime()}`,
    }),
  })
  .map(({ window: its, ...rest }) => ({ ...rest, ...its }));
// Codes whose order differs between collations.
const lists = fc
  .array(list, { maxLength: 8 })
  .map((made) => made.map((one, place): ModelList => ({ ...one, code: `${'bBaAäÄ_1'[place]}-list` })));
const asked: fc.Arbitrary<ModelBuyer & { items: { sku: string; quantity: string }[] }> = fc.record({
  currency: fc.constantFrom('EUR', 'CHF'),
  customer: scope,
  channel: scope,
  market: scope,
  at: instant,
  strategy: fc.constantFrom('PRIORITY', 'CHEAPEST'),
  items: fc.array(fc.record({ sku: fc.constantFrom(...skus, 'unknown'), quantity }), { minLength: 1, maxLength: 6 }),
});

/** Inserted from JSON rows, because Prisma would drop the trailing zeros of an amount. */
const listsSql = `
  INSERT INTO price_lists (tenant_id, code, name, currency, customer, channel, market, priority, valid_from, valid_until,
    tax_included)
  SELECT $1, code, code, currency, customer, channel, market, priority, "validFrom", "validUntil", "taxIncluded"
  FROM json_to_recordset($2) AS list(code text, currency text, customer text, channel text, market text, priority int,
    "validFrom" timestamptz, "validUntil" timestamptz, "taxIncluded" boolean)`;
const tiersSql = `
  INSERT INTO prices (tenant_id, list_id, sku, quantity_from, amount, valid_from, valid_until)
  SELECT $1, price_lists.id, sku, "quantityFrom", amount, "validFrom", "validUntil"
  FROM json_to_recordset($2) AS tier(code text, sku text, "quantityFrom" numeric, amount numeric, "validFrom" timestamptz,
    "validUntil" timestamptz)
  JOIN price_lists USING (code)`;

async function write(made: ModelList[]): Promise<void> {
  await api.database.withTenantSql(tenantId, async (tx) => {
    await tx.query('DELETE FROM price_lists WHERE tenant_id = $1', [tenantId]);
    await tx.query(listsSql, [tenantId, JSON.stringify(made)]);
    const tiers = made.flatMap(({ code, tiers: its }) => its.map((each) => ({ ...each, code })));
    await tx.query(tiersSql, [tenantId, JSON.stringify(tiers)]);
  });
}

describe('the price of an item', () => {
  test('equals that of a naive model, with the same trace, for any lists, tiers, windows and buyers', async () => {
    await fc.assert(
      fc.asyncProperty(lists, fc.array(asked, { minLength: 4, maxLength: 12 }), async (made, questions) => {
        await write(made);
        const found = await Promise.all(questions.map((each) => resolvePrices(api.database, tenantId, each)));
        const expected = questions.map(({ items, ...buyer }) =>
          items.map(({ sku, quantity: many }) => naivePrice(made, sku, many, buyer)),
        );
        expect(found).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });
});
