import { GraphQLError } from 'graphql';
import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { createFieldLoader } from '#src/graphql/fast/field-loader.ts';
import { inputRef } from '#src/graphql/mutation-input.ts';
import type { Database } from '#src/infra/postgres/database.ts';
import { maxItems, pricedItem } from './price-resolution.inputs.ts';
import type { TraceEntry } from './price-resolution.rules.ts';
import { noPrice, type Resolution, resolvePrices } from './price-resolution.service.ts';

const reads = { member: true, scope: 'prices:read' } as const;

const loadList = createFieldLoader(async (context, codes: string[], { select }: { select?: object }) => {
  const { db, tenantId } = inTenant(context);
  const rows = await db.priceList.findMany({
    where: { tenantId, code: { in: codes } },
    select: { ...select, code: true, id: true, tenantId: true },
  });
  return new Map(rows.map((row) => [row.code, row]));
});

const TraceRef = builder.objectRef<TraceEntry>('PriceTraceEntry').implement({
  description: 'What a price list came to.',
  fields: (t) => ({
    list: t.exposeString('list', { description: 'The code of the list.' }),
    reason: t.exposeString('reason', {
      description:
        '`selected`, or why not: `scope_mismatch` (another currency, customer, channel or market), `expired` (not valid at the time), `no_row` (no price of the article), `below_min_quantity`, `outranked` (it has a price, and another list was preferred).',
    }),
  }),
});

builder.objectField(TraceRef, 'priceList', (t) =>
  t.prismaField({
    type: 'PriceList',
    nullable: true,
    description: 'The list itself; null where it has been deleted since.',
    resolve: async (query, { list }, _args, context, info) => {
      const asked = { ...query };
      return (await loadList(context, info, list, asked)) as never;
    },
  }),
);

const TierRef = builder.objectRef<{ quantityFrom: string }>('PriceTier').implement({
  description: 'The quantity that a price holds from.',
  fields: (t) => ({
    quantityFrom: t.expose('quantityFrom', { type: 'Decimal', description: 'The smallest quantity.' }),
  }),
});

const NextTierRef = builder.objectRef<{ quantityFrom: string; amount: string }>('NextPriceTier').implement({
  description: 'What a larger quantity costs.',
  fields: (t) => ({
    quantityFrom: t.expose('quantityFrom', { type: 'Decimal', description: 'The smallest quantity.' }),
    amount: t.expose('amount', { type: 'Decimal', description: 'For one unit.' }),
  }),
});

// One plain type for both outcomes: 200 traces are then completed as plain objects, which members of a union are not.
const ResolutionRef = builder.objectRef<Resolution>('PriceResolution').implement({
  description:
    'The price of an article for a buyer, and how it was chosen. Where no price applies, the amount is null, never zero.',
  fields: (t) => ({
    sku: t.exposeString('sku', { description: 'The article.' }),
    quantity: t.expose('quantity', { type: 'Decimal', description: 'How many were asked for.' }),
    amount: t.expose('amount', {
      type: 'Decimal',
      nullable: true,
      description: 'For one unit. Null where no price applies.',
    }),
    currency: t.string({
      nullable: true,
      description: 'Null where no price applies.',
      resolve: (found) => (found.amount === null ? null : found.currency),
    }),
    taxIncluded: t.boolean({
      nullable: true,
      description: 'Whether `amount` and that of the next tier include the tax. Null where no price applies.',
      resolve: (found) => (found.amount === null ? null : found.taxIncluded),
    }),
    list: t.string({
      nullable: true,
      description: 'The code of the price list it is of. Null where no price applies.',
      resolve: (found) => (found.amount === null ? null : found.list),
    }),
    tier: t.field({
      type: TierRef,
      nullable: true,
      description: 'Null where no price applies.',
      resolve: (found) => (found.amount === null ? null : found.tier),
    }),
    nextTier: t.field({
      type: NextTierRef,
      nullable: true,
      description: 'The next larger quantity with a price in the same list; null where there is none.',
      resolve: (found) => (found.amount === null ? null : found.nextTier),
    }),
    code: t.string({
      nullable: true,
      description: '`NOT_FOUND` where no price applies.',
      resolve: ({ amount }) => (amount === null ? noPrice.code : null),
    }),
    message: t.string({
      nullable: true,
      description: 'Says, for people, that no price applies.',
      resolve: ({ amount }) => (amount === null ? noPrice.message : null),
    }),
    trace: t.expose('trace', {
      type: [TraceRef],
      description: 'Every price list of the tenant, in the order in which they are asked.',
    }),
  }),
});

const buyerArgs = builder.args((t) => ({
  currency: t.string({ description: 'Three capitals, such as `EUR`.', required: true }),
  customer: t.string({ description: 'The customer number; left out: nobody in particular.' }),
  channel: t.string({ description: 'Where it is sold.' }),
  market: t.string({ description: 'The market it is sold in.' }),
  at: t.field({ type: 'DateTime', description: 'When; left out: now.' }),
}));

builder.queryFields((t) => ({
  resolvePrice: t.field({
    type: ResolutionRef,
    description:
      'The price of an article for a buyer. Where none applies, the error `NOT_FOUND`, with the trace in its extensions.',
    authScopes: reads,
    args: {
      sku: t.arg.string({ description: 'The article.', required: true }),
      quantity: t.arg.string({ description: 'More than 0.', required: true }),
      ...buyerArgs,
    },
    resolve: async (_root, { sku, quantity, ...buyer }, context) => {
      const { deps, tenantId } = inTenant(context);
      const [found] = await resolvePrices(deps.database, tenantId, { ...buyer, items: [{ sku, quantity }] });
      if (found && found.amount !== null) return found;
      throw new GraphQLError(noPrice.message, { extensions: { code: noPrice.code, trace: found?.trace } });
    },
  }),
  resolvePrices: t.field({
    type: [ResolutionRef],
    description: `The prices of up to ${maxItems} articles for one buyer, in their order.`,
    authScopes: reads,
    complexity: 250,
    args: {
      items: t.arg({ type: [inputRef(pricedItem)], description: `1 to ${maxItems}.`, required: true }),
      ...buyerArgs,
    },
    resolve: (_root, asked, context) => {
      const { deps, tenantId } = inTenant(context);
      return resolvePrices(deps.database, tenantId, asked);
    },
  }),
}));

type Asked = Omit<Parameters<typeof resolvePrices>[2], 'items'> & { quantity: string };

const loadPrices = createFieldLoader(async (context, skus: string[], { quantity, ...buyer }: Asked) => {
  const { deps, tenantId } = inTenant(context);
  return resolveMany(deps.database, tenantId, skus, quantity, buyer);
});

/** The prices of any number of articles by SKU, in as few statements as their limit allows. */
async function resolveMany(
  database: Database,
  tenantId: string,
  skus: string[],
  quantity: string,
  buyer: Omit<Asked, 'quantity'>,
): Promise<Map<string, Resolution>> {
  const found = new Map<string, Resolution>();
  for (let from = 0; from < skus.length; from += maxItems) {
    const items = skus.slice(from, from + maxItems).map((sku) => ({ sku, quantity }));
    for (const each of await resolvePrices(database, tenantId, { ...buyer, items })) found.set(each.sku, each);
  }
  return found;
}

builder.prismaObjectField('Product', 'price', (t) =>
  t.field({
    type: ResolutionRef,
    description: 'What it costs a buyer. Its amount is null where no price applies.',
    authScopes: reads,
    complexity: 10,
    select: { sku: true },
    args: {
      quantity: t.arg.string({ description: 'More than 0.', defaultValue: '1', required: true }),
      ...buyerArgs,
    },
    resolve: async ({ sku }, asked, context, info) => (await loadPrices(context, info, sku, asked)) as Resolution,
  }),
);
