import { type Resolution, resolvePrices } from '#src/commerce/prices/price-resolution.service.ts';
import { readCommerceSettings, type Settings } from '#src/commerce/settings/settings.service.ts';
import { type Batcher, createBatcher } from '#src/infra/postgres/batching/batcher.ts';
import type { Database } from '#src/infra/postgres/database.ts';
import { type OrderContext, type OrderContextRequest, readOrderContexts } from './order-placement.store.ts';

/** The data that an order is checked against, with the settings of its tenant. */
export type LoadedOrderContext = OrderContext & { settings: Settings };

export interface OrderPriceRequest {
  tenantId: string;
  currency: string;
  customer: string | null;
  channel: string | null;
  items: { sku: string; quantity: string }[];
}

export type OrderContextBatcher = Batcher<OrderContextRequest & { tenantId: string }, LoadedOrderContext>;
export type OrderPriceBatcher = Batcher<OrderPriceRequest, Resolution[]>;

/** Reads the contexts of orders that are placed at the same time: one statement for each tenant. */
export const createOrderContextBatcher = (database: Database): OrderContextBatcher =>
  createBatcher({
    ...batching,
    write: (asked) =>
      inGroups(
        asked,
        ({ tenantId }) => tenantId,
        async (own) => {
          const tenantId = (own[0] as (typeof own)[0]).tenantId;
          const [contexts, settings] = await Promise.all([
            readOrderContexts(database, tenantId, own),
            readCommerceSettings(database, tenantId),
          ]);
          return contexts.map((context) => ({ ...context, settings }));
        },
      ),
  });

/** The same for the prices of one buyer; all anonymous buyers count as one. */
export const createPriceBatcher = (database: Database): OrderPriceBatcher =>
  createBatcher({
    ...batching,
    write: (asked) =>
      inGroups(
        asked,
        ({ tenantId, currency, customer, channel }) => JSON.stringify([tenantId, currency, customer, channel]),
        (own) => resolveAll(database, own),
      ),
  });

const batching = { maxBatch: 50, concurrency: 2, patienceMs: 5 };
/** The number of prices that one statement resolves. */
const maxItems = 200;

async function resolveAll(database: Database, own: OrderPriceRequest[]): Promise<Resolution[][]> {
  const { tenantId, currency, customer, channel } = own[0] as OrderPriceRequest;
  const items = own.flatMap((each) => each.items);
  const found: Resolution[] = [];
  while (found.length < items.length) {
    const next = items.slice(found.length, found.length + maxItems);
    found.push(...(await resolvePrices(database, tenantId, { items: next, currency, customer, channel })));
  }
  let at = 0;
  return own.map((each) => found.slice(at, (at += each.items.length)));
}

/** Runs `work` for the items of each key, all keys concurrently, and returns the results in the order of the items. */
async function inGroups<Item, Answer>(
  items: Item[],
  toKey: (item: Item) => string,
  work: (own: Item[]) => Promise<Answer[]>,
): Promise<Answer[]> {
  const answers = new Map<Item, Answer>();
  await Promise.all(
    [...Map.groupBy(items, toKey).values()].map(async (own) => {
      const found = await work(own);
      own.forEach((item, index) => answers.set(item, found[index] as Answer));
    }),
  );
  return items.map((item) => answers.get(item) as Answer);
}
