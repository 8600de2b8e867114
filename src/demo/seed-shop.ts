import { createAttribute } from '#src/commerce/attributes/attributes.service.ts';
import { createContact } from '#src/commerce/contacts/contacts.service.ts';
import { upsertCostCentre } from '#src/commerce/cost-centres/cost-centres.service.ts';
import { upsertOrganization } from '#src/commerce/organizations/organizations.service.ts';
import { createPriceList } from '#src/commerce/prices/price-lists.service.ts';
import { upsertPrice } from '#src/commerce/prices/prices.service.ts';
import { createProduct } from '#src/commerce/products/products.service.ts';
import { bookMovements, setReorderPoint } from '#src/commerce/stock/stock.service.ts';
import { type Actor, type Deps, systemActor } from '#src/infra/deps.ts';
import type { TenantTx } from '#src/infra/postgres/database.ts';
import { Pipelined } from '#src/infra/postgres/tx.ts';
import { articles, customers, material, materials, priceLists, prices, reorderPoints, taxRate } from './demo-shop.ts';
import { demoOrg, demoTenant } from './demo-workflow.ts';

const erp = systemActor(demoOrg.id, demoTenant.id);
/** Contacts and cost centres are written by a user. Nothing that is stored refers to this one. */
const shop: Actor = { ...erp, userId: 0n };

/**
 * Fills the demo tenant's shop, unless it has customers: customers cannot be deleted, so data that a user has deleted since stays deleted.
 * All use cases run in one transaction, because 50 separate commits would double the time that this takes at the first start.
 */
export const seedShop = (deps: Deps): Promise<void> =>
  deps.database.withTenant(demoTenant.id, async (tx) => {
    if ((await tx.organization.count()) > 0) return;
    const within = inTransaction(deps, tx);
    await createAttribute(within, erp, { ...material, options: materials });
    for (const { sku, name, material: made } of articles) {
      await createProduct(within, erp, { sku, name, taxRate, attributes: { material: made } });
    }
    await bookMovements(
      tx,
      erp,
      articles.flatMap(({ sku, ...onHand }) =>
        (['main', 'store'] as const).map((location) => {
          const reference = `opening:${sku}:${location}`;
          return { sku, location, kind: 'receipt' as const, quantity: onHand[location], reference };
        }),
      ),
    );
    for (const point of reorderPoints) await setReorderPoint(within, erp, point);
    for (const list of priceLists) await createPriceList(within, erp, { ...list, currency: 'EUR' });
    for (const price of prices) await upsertPrice(within, erp, price);
    for (const { organization, contact, costCentre } of customers) {
      const { id } = await upsertOrganization(within, erp, organization);
      await createContact(within, shop, id, contact);
      await upsertCostCentre(within, shop, id, costCentre);
    }
  });

/** The same dependencies, but with transactions nested in this one. */
const inTransaction = (deps: Deps, tx: TenantTx): Deps => ({
  ...deps,
  database: {
    ...deps.database,
    withTenant: (_tenantId, work) => work(tx),
    async withTenantSql(_tenantId, work) {
      const answer = await work(tx);
      return answer instanceof Pipelined ? answer.result : answer;
    },
  },
});
