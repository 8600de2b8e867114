import { queryFromInfo } from '@pothos/plugin-prisma';
import { encodeGlobalID } from '@pothos/plugin-relay';
import { builder } from '#src/graphql/builder.ts';
import { inTenant, tenantKey } from '#src/graphql/context.ts';
import { errorTypes } from '#src/graphql/error-types.ts';
import { idField, mutationInput } from '#src/graphql/mutation-input.ts';
import { nodeAccess } from '#src/graphql/node-access.ts';
import { defineConnection } from '#src/graphql/paging/connection-types.ts';
import { offsetArg } from '#src/graphql/paging/connections.ts';
import { orderInput } from '#src/graphql/paging/order-input.ts';
import { pageInOrder } from '#src/graphql/paging/ordered-lists.ts';
import { permissions, permissionsType } from '#src/graphql/viewer-can.ts';
import { readId } from '#src/infra/inputs.ts';
import { createPriceListInput, updatePriceListInput } from './price-lists.inputs.ts';
import { createPriceList, deletePriceList, updatePriceList } from './price-lists.service.ts';
import { priceListList } from './prices.reads.ts';

const reads = { member: true, scope: 'prices:read' } as const;
const writes = { admin: true, scope: 'prices:write' } as const;

const PriceListPermissions = permissionsType('PriceListPermissions', {
  update: 'updatePriceList',
  delete: 'deletePriceList',
});

const PriceListRef = builder.prismaNode('PriceList', {
  id: { resolve: ({ id }) => String(id) },
  findUnique: (id, context) => ({ tenantId_id: tenantKey(context, 'PriceList', id) }),
  // Not `authScopes` of the type: a key that may only write still gets the object that it wrote in the response.
  extensions: nodeAccess(reads),
  description:
    'Whom prices are for, and when. A list applies where its currency and each of its scopes are the buyer’s.',
  select: { id: true, tenantId: true },
  fields: (t) => ({
    databaseId: t.expose('id', { type: 'Long', description: 'The id that REST uses.' }),
    code: t.exposeString('code', { description: 'Unique in the tenant; it never changes.' }),
    name: t.exposeString('name'),
    currency: t.exposeString('currency', { description: 'Of all its prices; it never changes.' }),
    taxIncluded: t.exposeBoolean('taxIncluded', {
      description: 'Whether its prices include the tax; it never changes.',
    }),
    customer: t.exposeString('customer', { nullable: true, description: 'A customer number; null: every customer.' }),
    channel: t.exposeString('channel', { nullable: true, description: 'Null: every channel.' }),
    market: t.exposeString('market', { nullable: true, description: 'Null: every market.' }),
    priority: t.exposeInt('priority', { description: 'The largest is asked first.' }),
    validFrom: t.expose('validFrom', {
      type: 'DateTime',
      nullable: true,
      description: 'The first instant it applies; null: ever since.',
    }),
    validUntil: t.expose('validUntil', {
      type: 'DateTime',
      nullable: true,
      description: 'The first instant it applies no more; null: for good.',
    }),
    viewerCan: t.field({ type: PriceListPermissions, resolve: () => permissions }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});

const PriceListOrderInput = orderInput('PriceList', {
  of: 'price lists',
  fields: { CODE: {}, CREATED_AT: {}, UPDATED_AT: {} },
});

builder.queryFields((t) => ({
  priceList: t.prismaField({
    type: PriceListRef,
    description: 'A price list of the tenant.',
    nullable: true,
    authScopes: reads,
    args: { id: t.arg.id({ required: true }) },
    resolve: (query, _root, { id }, context) => {
      const { db, tenantId } = inTenant(context);
      return db.priceList.findUnique({ ...query, where: { tenantId_id: { tenantId, id: readId('PriceList', id) } } });
    },
  }),
  priceLists: t.connection(
    {
      type: PriceListRef,
      description: 'The price lists of the tenant.',
      authScopes: reads,
      args: {
        orderBy: t.arg({ type: PriceListOrderInput, description: 'Left out: by code.' }),
        offset: t.arg.int(offsetArg),
      },
      resolve: (_root, { orderBy, ...page }, context, info) => {
        const { db, deps, tenantId } = inTenant(context);
        const selected = queryFromInfo({ context, info, path: ['edges', 'node'], typeName: 'PriceList' });
        return pageInOrder(priceListList, page, {
          filter: { tenantId },
          order: orderBy ?? { field: 'CODE', direction: 'ASC' },
          query: (statement) => deps.database.tenantQuery(tenantId, statement),
          load: (ids) => db.priceList.findMany({ ...selected, where: { tenantId, id: { in: ids.map(BigInt) } } }),
          rowId: ({ id }) => String(id),
        });
      },
    },
    defineConnection(PriceListRef),
  ),
}));

builder.relayMutationField(
  'createPriceList',
  mutationInput(createPriceListInput),
  {
    description: 'Adds a price list.',
    authScopes: writes,
    errors: errorTypes,
    resolve: async (_root, { input }, context) => ({
      priceList: await createPriceList(context.deps, inTenant(context).actor, input),
    }),
  },
  { outputFields: (t) => ({ priceList: t.field({ type: PriceListRef, resolve: ({ priceList }) => priceList }) }) },
);

builder.relayMutationField(
  'updatePriceList',
  mutationInput(updatePriceListInput, idField),
  {
    description: 'Changes what is given and leaves the rest. What is as given already stays untouched.',
    authScopes: writes,
    errors: errorTypes,
    resolve: async (_root, { input: { id, ...changes } }, context) => ({
      priceList: await updatePriceList(context.deps, inTenant(context).actor, readId('PriceList', id), changes),
    }),
  },
  { outputFields: (t) => ({ priceList: t.field({ type: PriceListRef, resolve: ({ priceList }) => priceList }) }) },
);

builder.relayMutationField(
  'deletePriceList',
  { inputFields: idField },
  {
    description: 'Deletes a price list with all its prices.',
    authScopes: writes,
    errors: errorTypes,
    resolve: async (_root, { input: { id } }, context) => {
      const key = readId('PriceList', id);
      await deletePriceList(context.deps, inTenant(context).actor, key);
      return { deletedId: encodeGlobalID('PriceList', key) };
    },
  },
  {
    outputFields: (t) => ({
      deletedId: t.exposeID('deletedId', { description: 'The global id of the deleted price list.' }),
    }),
  },
);
