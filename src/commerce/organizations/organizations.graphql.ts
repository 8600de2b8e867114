import { queryFromInfo } from '@pothos/plugin-prisma';
import type { Address } from '#src/commerce/addresses/addresses.inputs.ts';
import { attributesSchemaName } from '#src/commerce/attributes/attributes.inputs.ts';
import { readAttributeFilter } from '#src/commerce/attributes/attributes.service.ts';
import { builder } from '#src/graphql/builder.ts';
import { inTenant, tenantKey } from '#src/graphql/context.ts';
import { errorTypes } from '#src/graphql/error-types.ts';
import { mutationInput } from '#src/graphql/mutation-input.ts';
import { nodeAccess } from '#src/graphql/node-access.ts';
import { defineConnection } from '#src/graphql/paging/connection-types.ts';
import { offsetArg } from '#src/graphql/paging/connections.ts';
import { orderInput } from '#src/graphql/paging/order-input.ts';
import { pageInOrder } from '#src/graphql/paging/ordered-lists.ts';
import { permissions, permissionsType } from '#src/graphql/viewer-can.ts';
import { readId } from '#src/infra/inputs.ts';
import { tenantSchema } from '#src/infra/tenant-schemas.ts';
import { upsertOrganizationInput } from './organizations.inputs.ts';
import { organizationList } from './organizations.reads.ts';
import { upsertOrganization } from './organizations.service.ts';

const reads = { member: true, scope: 'customers:read' } as const;

const OrganizationPermissions = permissionsType('OrganizationPermissions', {
  update: 'upsertOrganization',
});

const OrganizationRef = builder.prismaNode('Organization', {
  id: { resolve: ({ id }) => String(id) },
  findUnique: (id, context) => ({ tenantId_id: tenantKey(context, 'Organization', id) }),
  // Not `authScopes` of the type: a key that may only write still gets the object that it wrote in the response.
  extensions: nodeAccess(reads),
  description: 'A company that buys. The ERP owns what it is; its contacts and cost centres are the shop’s.',
  select: { id: true, tenantId: true },
  fields: (t) => ({
    databaseId: t.expose('id', { type: 'Long', description: 'The id that REST uses.' }),
    customerNumber: t.exposeString('customerNumber', { description: 'Unique in the tenant; it never changes.' }),
    name: t.exposeString('name'),
    addresses: t.field({
      type: ['Address'],
      description: 'In the order that the ERP gave.',
      select: { addresses: true },
      resolve: ({ addresses }) => addresses as unknown as Address[],
    }),
    paymentTerms: t.exposeString('paymentTerms', { nullable: true, description: 'As the ERP words them.' }),
    attributes: t.expose('attributes', {
      type: 'JSON',
      description: "The tenant's own attributes, by code.",
      extensions: tenantSchema(attributesSchemaName.organization),
    }),
    viewerCan: t.field({ type: OrganizationPermissions, resolve: () => permissions }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});

const OrganizationFilterInput = builder.inputType('OrganizationFilter', {
  description: 'All given filters must match.',
  fields: (t) => ({
    search: t.string({
      description: 'Part of the customer number or of the name, in any case; at most 191 characters.',
    }),
    customerNumber: t.string({ description: 'Exactly this one.' }),
    updatedSince: t.field({ type: 'DateTime', description: 'Changed at this instant or later.' }),
    attributes: t.field({
      type: 'JSON',
      description: 'Those with these values of attributes, by code: `{ region: "north" }`; at most 10.',
    }),
  }),
});

const OrganizationOrderInput = orderInput('Organization', {
  of: 'organizations',
  fields: { CUSTOMER_NUMBER: {}, CREATED_AT: {}, UPDATED_AT: {} },
});

builder.queryFields((t) => ({
  organization: t.prismaField({
    type: OrganizationRef,
    description: 'An organization of the tenant.',
    nullable: true,
    authScopes: reads,
    args: { id: t.arg.id({ required: true }) },
    resolve: (query, _root, { id }, context) => {
      const { db, tenantId } = inTenant(context);
      const key = { tenantId, id: readId('Organization', id) };
      return db.organization.findUnique({ ...query, where: { tenantId_id: key } });
    },
  }),
  organizations: t.connection(
    {
      type: OrganizationRef,
      description: 'The organizations of the tenant.',
      authScopes: reads,
      args: {
        filter: t.arg({ type: OrganizationFilterInput }),
        orderBy: t.arg({ type: OrganizationOrderInput, description: 'Left out: newest first.' }),
        offset: t.arg.int(offsetArg),
      },
      resolve: async (_root, { filter, orderBy, ...page }, context, info) => {
        const { db, deps, tenantId } = inTenant(context);
        const attributes = await readAttributeFilter(deps, tenantId, 'organization', filter?.attributes);
        const selected = queryFromInfo({ context, info, path: ['edges', 'node'], typeName: 'Organization' });
        return pageInOrder(organizationList, page, {
          filter: { ...filter, attributes, tenantId },
          order: orderBy ?? { field: 'CREATED_AT', direction: 'DESC' },
          query: (statement) => deps.database.tenantQuery(tenantId, statement),
          load: (ids) => db.organization.findMany({ ...selected, where: { tenantId, id: { in: ids.map(BigInt) } } }),
          rowId: ({ id }) => String(id),
        });
      },
    },
    defineConnection(OrganizationRef),
  ),
}));

builder.relayMutationField(
  'upsertOrganization',
  mutationInput(upsertOrganizationInput),
  {
    description:
      'Makes the organization of a customer number, or changes what is given of it. Its fields are the ERP’s: a user is ' +
      'refused at each of them.',
    authScopes: { admin: true, scope: 'customers:write' },
    errors: errorTypes,
    resolve: async (_root, { input }, context) => ({
      organization: await upsertOrganization(context.deps, inTenant(context).actor, input),
    }),
  },
  {
    outputFields: (t) => ({
      organization: t.field({ type: OrganizationRef, resolve: ({ organization }) => organization }),
    }),
  },
);
