import type { z } from 'zod';
import { parseInput } from '#src/infra/inputs.ts';
import type { Database } from '#src/infra/postgres/database.ts';
import { resolvePricesInput } from './price-resolution.inputs.ts';
import { explainPrices, type PriceFound, type PriceMissed } from './price-resolution.rules.ts';
import { findPriceTiers } from './price-resolution.store.ts';

/** The price of an item, or why it has none; `amount` is then null, never zero. */
export type Resolution = { sku: string; quantity: string } & (({ currency: string } & PriceFound) | PriceMissed);

/** Reported if no price applies. */
export const noPrice = { message: 'No price applies; the trace says why.', code: 'NOT_FOUND' };

/**
 * The price of each item for one buyer, in the order of the items, with the trace of how it was chosen. `at` defaults to now, `strategy` to
 * the tenant's. Uses one statement; never throws because no price applies.
 */
export async function resolvePrices(
  database: Pick<Database, 'tenantQuery'>,
  tenantId: string,
  asked: z.input<typeof resolvePricesInput>,
): Promise<Resolution[]> {
  const {
    items,
    currency,
    customer = null,
    channel = null,
    market = null,
    at,
    strategy = null,
  } = parseInput(resolvePricesInput, asked);
  const findings = await findPriceTiers(database, tenantId, {
    items,
    currency,
    customer,
    channel,
    market,
    at: at ?? new Date(),
    strategy,
  });
  const explained = explainPrices(findings);
  return items.map((item, index) => {
    const found = explained[index] as PriceFound | PriceMissed;
    return found.amount === null ? { ...item, ...found } : { ...item, currency, ...found };
  });
}
