import { z } from 'zod';
import { defineScopes } from '#src/infra/key-scopes.ts';
import { defineAudited } from '#src/journal/audit/audited.ts';
import { defineTopic } from '#src/journal/outbox/topic.ts';
import type { PriceRow } from './prices.reads.ts';

export const auditedPriceList = defineAudited({
  type: 'price_list',
  node: 'PriceList',
  actions: ['create', 'update', 'delete'],
});

export const auditedPrice = defineAudited({ type: 'price', actions: ['upsert'] });

const price = z.object({
  id: z.int(),
  list: z.string(),
  sku: z.string(),
  quantity_from: z.string(),
  amount: z.string(),
  currency: z.string(),
  tax_included: z.boolean(),
  valid_from: z.iso.datetime().nullable(),
  valid_until: z.iso.datetime().nullable(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});

export const priceChanged = defineTopic({
  name: 'price.changed',
  when: 'when a price is made or changed; an equal one changes nothing',
  data: price,
});

export const priceData = (row: PriceRow): z.input<typeof price> => ({
  id: row.id,
  list: row.list,
  sku: row.sku,
  quantity_from: row.quantityFrom,
  amount: row.amount,
  currency: row.currency,
  tax_included: row.taxIncluded,
  valid_from: row.validFrom?.toISOString() ?? null,
  valid_until: row.validUntil?.toISOString() ?? null,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
});

declare module '#src/infra/key-scopes.ts' {
  interface KeyScopes {
    'prices:read': true;
    'prices:write': true;
  }
}

export const priceScopes = defineScopes({
  'prices:read': 'Read price lists and prices, and resolve prices.',
  'prices:write': 'Make, change and delete price lists, and set prices.',
});
