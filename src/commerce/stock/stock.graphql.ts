import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { errorTypes } from '#src/graphql/error-types.ts';
import { mutationInput } from '#src/graphql/mutation-input.ts';
import { nodeAccess } from '#src/graphql/node-access.ts';
import { defineConnection } from '#src/graphql/paging/connection-types.ts';
import { offsetArg } from '#src/graphql/paging/connections.ts';
import { orderInput } from '#src/graphql/paging/order-input.ts';
import { pageInOrder } from '#src/graphql/paging/ordered-lists.ts';
import { isRow } from '#src/graphql/rows.ts';
import { permissions, permissionsType } from '#src/graphql/viewer-can.ts';
import { setReorderPointInput } from './stock.inputs.ts';
import { findStock, findStocks, type LocationStock, type Stock, stockList } from './stock.reads.ts';
import { setReorderPoint } from './stock.service.ts';
import './movements.graphql.ts';

const reads = { member: true, scope: 'stock:read' } as const;
const writes = { admin: true, scope: 'stock:write' } as const;

const LocationStockRef = builder.objectRef<LocationStock>('LocationStock').implement({
  description: 'The stock of a product at one location.',
  fields: (t) => ({
    location: t.exposeString('location', { description: 'Made by its first movement.' }),
    onHand: t.expose('onHand', { type: 'Decimal', description: 'What is there.' }),
    reserved: t.expose('reserved', { type: 'Decimal', description: 'What of it is promised.' }),
    available: t.expose('available', { type: 'Decimal', description: 'What is on hand less what is reserved.' }),
    reorderPoint: t.expose('reorderPoint', {
      type: 'Decimal',
      nullable: true,
      description: 'It is low below this; null where none is set.',
    }),
  }),
});

const StockRef = builder.objectRef<Stock>('Stock');

const StockPermissions = permissionsType('StockPermissions', {
  book: 'bookMovement',
  transfer: 'transferStock',
  setReorderPoint: 'setReorderPoint',
});

builder.node(StockRef, {
  id: { resolve: ({ sku }) => sku },
  loadOne: (sku, { tenant, deps }) => (tenant ? findStock(deps.database, tenant.id, sku) : null),
  isTypeOf: (value) => isRow(value, 'sku', 'locations'),
  // Not `authScopes` of the type: a key that may only write still gets the object that it wrote in the response.
  extensions: nodeAccess(reads),
  description: 'The stock of a product: the sums over its locations.',
  fields: (t) => ({
    sku: t.exposeString('sku', { description: 'Of the product.' }),
    onHand: t.expose('onHand', { type: 'Decimal', description: 'What is there.' }),
    reserved: t.expose('reserved', { type: 'Decimal', description: 'What of it is promised.' }),
    available: t.expose('available', {
      type: 'Decimal',
      description: 'What is on hand less what is reserved. Negative where a count found less than is promised.',
    }),
    reorderPoint: t.expose('reorderPoint', {
      type: 'Decimal',
      nullable: true,
      description: 'The sum of those of the locations; null where none has one.',
    }),
    locations: t.field({
      type: [LocationStockRef],
      description: 'Where it ever moved, by name.',
      resolve: ({ locations }) => locations,
    }),
    viewerCan: t.field({ type: StockPermissions, resolve: () => permissions }),
  }),
});

const StockOrderInput = orderInput('Stock', { of: 'stocks', fields: { SKU: {} } });

builder.queryFields((t) => ({
  stock: t.field({
    type: StockRef,
    description: 'The stock of a product; zeros where it never moved.',
    nullable: true,
    authScopes: reads,
    args: { sku: t.arg.string({ required: true, description: 'Of the product.' }) },
    resolve: (_root, { sku }, context) => {
      const { deps, tenantId } = inTenant(context);
      return findStock(deps.database, tenantId, sku);
    },
  }),
  stocks: t.connection(
    {
      type: StockRef,
      description: 'The stock of every product of the tenant.',
      authScopes: reads,
      args: {
        orderBy: t.arg({ type: StockOrderInput, description: 'Left out: by SKU.' }),
        offset: t.arg.int(offsetArg),
      },
      resolve: (_root, { orderBy, ...page }, context) => {
        const { deps, tenantId } = inTenant(context);
        return pageInOrder(stockList, page, {
          filter: { tenantId },
          order: orderBy ?? { field: 'SKU', direction: 'ASC' },
          query: (statement) => deps.database.tenantQuery(tenantId, statement),
          load: (skus) => findStocks(deps.database, tenantId, skus),
          rowId: ({ sku }) => sku,
        });
      },
    },
    defineConnection(StockRef),
  ),
}));

builder.relayMutationField(
  'setReorderPoint',
  mutationInput(setReorderPointInput),
  {
    description:
      'Sets from where on a location is low: `stock.low` tells when a movement takes what is available below it.',
    authScopes: writes,
    errors: errorTypes,
    resolve: async (_root, { input }, context) => {
      const { deps, actor, tenantId, commerce } = inTenant(context);
      await setReorderPoint(commerce, actor, input);
      return { stock: await findStock(deps.database, tenantId, input.sku.trim()) };
    },
  },
  {
    outputFields: (t) => ({
      stock: t.field({ type: StockRef, nullable: true, resolve: ({ stock }) => stock }),
    }),
  },
);
