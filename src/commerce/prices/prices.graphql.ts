import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { errorTypes } from '#src/graphql/error-types.ts';
import { mutationInput } from '#src/graphql/mutation-input.ts';
import { nodeAccess } from '#src/graphql/node-access.ts';
import { defineConnection } from '#src/graphql/paging/connection-types.ts';
import { offsetArg } from '#src/graphql/paging/connections.ts';
import { pageInOrder } from '#src/graphql/paging/ordered-lists.ts';
import { isRow } from '#src/graphql/rows.ts';
import { permissions, permissionsType } from '#src/graphql/viewer-can.ts';
import { upsertPriceInput } from './prices.inputs.ts';
import { findPrices, priceList, type PriceRow } from './prices.reads.ts';
import { upsertPrice } from './prices.service.ts';

const reads = { member: true, scope: 'prices:read' } as const;

const PriceRef = builder.objectRef<PriceRow>('Price');

const PricePermissions = permissionsType('PricePermissions', {
  update: 'upsertPrice',
});

builder.node(PriceRef, {
  id: { resolve: ({ id }) => String(id) },
  loadOne: async (id, context) => {
    const { deps, tenantId } = inTenant(context);
    return /^\d{1,18}$/.test(id) ? (await findPrices(deps.database, tenantId, [id]))[0] : null;
  },
  isTypeOf: (value) => isRow(value, 'quantityFrom', 'amount', 'list'),
  // Not `authScopes` of the type: a key that may only write still gets the object that it wrote in the response.
  extensions: nodeAccess(reads),
  description: 'What one unit of an article costs in a price list, from a quantity on.',
  fields: (t) => ({
    databaseId: t.expose('id', { type: 'Long', description: 'The id that events use.' }),
    list: t.exposeString('list', { description: 'The code of the price list.' }),
    sku: t.exposeString('sku', { description: 'The article.' }),
    quantityFrom: t.expose('quantityFrom', { type: 'Decimal', description: 'The smallest quantity it holds for.' }),
    amount: t.expose('amount', { type: 'Decimal', description: 'For one unit, with the digits it was given.' }),
    currency: t.exposeString('currency', { description: 'The currency of the price list.' }),
    taxIncluded: t.exposeBoolean('taxIncluded', { description: 'Whether the prices of the list include the tax.' }),
    validFrom: t.expose('validFrom', {
      type: 'DateTime',
      nullable: true,
      description: 'The first instant it holds; null: ever since.',
    }),
    validUntil: t.expose('validUntil', {
      type: 'DateTime',
      nullable: true,
      description: 'The first instant it holds no more; null: for good.',
    }),
    viewerCan: t.field({ type: PricePermissions, resolve: () => permissions }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});

const PriceConnection = defineConnection(PriceRef);

builder.prismaObjectField('PriceList', 'prices', (t) =>
  t.connection(
    {
      type: PriceRef,
      description: 'The prices of the list, by SKU.',
      authScopes: reads,
      select: { id: true },
      args: { sku: t.arg.string({ description: 'Of this article alone.' }), offset: t.arg.int(offsetArg) },
      resolve: ({ id: listId }, { sku, ...page }, context) => {
        const { deps, tenantId } = inTenant(context);
        return pageInOrder(priceList, page, {
          filter: { tenantId, listId, sku },
          order: { field: 'SKU', direction: 'ASC' },
          query: (statement) => deps.database.tenantQuery(tenantId, statement),
          load: (ids) => findPrices(deps.database, tenantId, ids),
          rowId: (price) => String(price.id),
        });
      },
    },
    PriceConnection,
  ),
);

builder.queryFields((t) => ({
  prices: t.connection(
    {
      type: PriceRef,
      description: 'The prices of an article in every price list.',
      authScopes: reads,
      args: { sku: t.arg.string({ required: true, description: 'The article.' }), offset: t.arg.int(offsetArg) },
      resolve: (_root, { sku, ...page }, context) => {
        const { deps, tenantId } = inTenant(context);
        return pageInOrder(priceList, page, {
          filter: { tenantId, sku },
          order: { field: 'SKU', direction: 'ASC' },
          query: (statement) => deps.database.tenantQuery(tenantId, statement),
          load: (ids) => findPrices(deps.database, tenantId, ids),
          rowId: (price) => String(price.id),
        });
      },
    },
    PriceConnection,
  ),
}));

builder.relayMutationField(
  'upsertPrice',
  mutationInput(upsertPriceInput),
  {
    description:
      'Sets the price of a list, SKU, quantity and start of validity. Another one of these four is another price; an equal price changes nothing.',
    authScopes: { admin: true, scope: 'prices:write' },
    errors: errorTypes,
    resolve: async (_root, { input }, context) => ({
      price: await upsertPrice(context.deps, inTenant(context).actor, input),
    }),
  },
  { outputFields: (t) => ({ price: t.field({ type: PriceRef, resolve: ({ price }) => price }) }) },
);
