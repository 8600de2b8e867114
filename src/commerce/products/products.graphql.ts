import { queryFromInfo } from '@pothos/plugin-prisma';
import { encodeGlobalID } from '@pothos/plugin-relay';
import { attributesSchemaName } from '#src/commerce/attributes/attributes.inputs.ts';
import { readAttributeFilter } from '#src/commerce/attributes/attributes.service.ts';
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
import { tenantSchema } from '#src/infra/tenant-schemas.ts';
import { createProductInput, updateProductInput } from './products.inputs.ts';
import { productList } from './products.reads.ts';
import { createProduct, deleteProduct, updateProduct } from './products.service.ts';

const reads = { member: true, scope: 'products:read' } as const;
const writes = { admin: true, scope: 'products:write' } as const;

const ProductPermissions = permissionsType('ProductPermissions', {
  update: 'updateProduct',
  delete: 'deleteProduct',
});

const ProductRef = builder.prismaNode('Product', {
  id: { resolve: ({ id }) => String(id) },
  findUnique: (id, context) => ({ tenantId_id: tenantKey(context, 'Product', id) }),
  // Not `authScopes` of the type: a key that may only write still gets the object that it wrote in the response.
  extensions: nodeAccess(reads),
  description: 'An article that the shop sells.',
  select: { id: true, tenantId: true },
  fields: (t) => ({
    databaseId: t.expose('id', { type: 'Long', description: 'The id that REST uses.' }),
    sku: t.exposeString('sku', { description: 'Unique in the tenant; it never changes.' }),
    name: t.exposeString('name'),
    description: t.exposeString('description', { nullable: true, description: 'For people; null where it has none.' }),
    active: t.exposeBoolean('active', { description: 'Whether the shop sells it.' }),
    taxRate: t.expose('taxRate', { type: 'Decimal', description: 'Percent of the net price.' }),
    attributes: t.expose('attributes', {
      type: 'JSON',
      description: "The tenant's own attributes, by code.",
      extensions: tenantSchema(attributesSchemaName.product),
    }),
    viewerCan: t.field({ type: ProductPermissions, resolve: () => permissions }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});

const ProductFilterInput = builder.inputType('ProductFilter', {
  description: 'All given filters must match.',
  fields: (t) => ({
    search: t.string({ description: 'Part of the SKU or of the name, in any case; at most 191 characters.' }),
    active: t.boolean({ description: 'Those that are sold, or those that are not.' }),
    updatedSince: t.field({ type: 'DateTime', description: 'Changed at this instant or later.' }),
    attributes: t.field({
      type: 'JSON',
      description: 'Those with these values of attributes, by code: `{ color: "red" }`; at most 10.',
    }),
  }),
});

const ProductOrderInput = orderInput('Product', {
  of: 'products',
  fields: { SKU: {}, CREATED_AT: {}, UPDATED_AT: {} },
});

builder.queryFields((t) => ({
  product: t.prismaField({
    type: ProductRef,
    description: 'A product of the tenant.',
    nullable: true,
    authScopes: reads,
    args: { id: t.arg.id({ required: true }) },
    resolve: (query, _root, { id }, context) => {
      const { db, tenantId } = inTenant(context);
      return db.product.findUnique({ ...query, where: { tenantId_id: { tenantId, id: readId('Product', id) } } });
    },
  }),
  products: t.connection(
    {
      type: ProductRef,
      description: 'The products of the tenant.',
      authScopes: reads,
      args: {
        filter: t.arg({ type: ProductFilterInput }),
        orderBy: t.arg({ type: ProductOrderInput, description: 'Left out: by SKU.' }),
        offset: t.arg.int(offsetArg),
      },
      resolve: async (_root, { filter, orderBy, ...page }, context, info) => {
        const { db, deps, tenantId } = inTenant(context);
        const attributes = await readAttributeFilter(deps, tenantId, 'product', filter?.attributes);
        const selected = queryFromInfo({ context, info, path: ['edges', 'node'], typeName: 'Product' });
        return pageInOrder(productList, page, {
          filter: { ...filter, attributes, tenantId },
          order: orderBy ?? { field: 'SKU', direction: 'ASC' },
          query: (statement) => deps.database.tenantQuery(tenantId, statement),
          load: (ids) => db.product.findMany({ ...selected, where: { tenantId, id: { in: ids.map(BigInt) } } }),
          rowId: ({ id }) => String(id),
        });
      },
    },
    defineConnection(ProductRef),
  ),
}));

builder.relayMutationField(
  'createProduct',
  mutationInput(createProductInput),
  {
    description: 'Adds a product.',
    authScopes: writes,
    errors: errorTypes,
    resolve: async (_root, { input }, context) => ({
      product: await createProduct(context.deps, inTenant(context).actor, input),
    }),
  },
  { outputFields: (t) => ({ product: t.field({ type: ProductRef, resolve: ({ product }) => product }) }) },
);

builder.relayMutationField(
  'updateProduct',
  mutationInput(updateProductInput, idField),
  {
    description: 'Changes what is given and leaves the rest. What is as given already stays untouched.',
    authScopes: writes,
    errors: errorTypes,
    resolve: async (_root, { input: { id, ...changes } }, context) => ({
      product: await updateProduct(context.deps, inTenant(context).actor, readId('Product', id), changes),
    }),
  },
  { outputFields: (t) => ({ product: t.field({ type: ProductRef, resolve: ({ product }) => product }) }) },
);

builder.relayMutationField(
  'deleteProduct',
  { inputFields: idField },
  {
    description: 'Deletes a product.',
    authScopes: writes,
    errors: errorTypes,
    resolve: async (_root, { input: { id } }, context) => {
      const key = readId('Product', id);
      await deleteProduct(context.deps, inTenant(context).actor, key);
      return { deletedId: encodeGlobalID('Product', key) };
    },
  },
  {
    outputFields: (t) => ({
      deletedId: t.exposeID('deletedId', { description: 'The global id of the deleted product.' }),
    }),
  },
);
