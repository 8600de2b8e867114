import { queryFromInfo } from '@pothos/plugin-prisma';
import type { GraphQLResolveInfo } from 'graphql';
import { builder } from '#src/graphql/builder.ts';
import { type Context, inTenant, tenantKey } from '#src/graphql/context.ts';
import { errorTypes } from '#src/graphql/error-types.ts';
import { idField, mutationInput } from '#src/graphql/mutation-input.ts';
import { nodeAccess } from '#src/graphql/node-access.ts';
import { defineConnection } from '#src/graphql/paging/connection-types.ts';
import { offsetArg, type PageArgs } from '#src/graphql/paging/connections.ts';
import { orderInput } from '#src/graphql/paging/order-input.ts';
import { pageInOrder } from '#src/graphql/paging/ordered-lists.ts';
import { permissions, permissionsType } from '#src/graphql/viewer-can.ts';
import { readId } from '#src/infra/inputs.ts';
import { createContactInput, updateContactInput } from './contacts.inputs.ts';
import { type ContactFilter, contactList } from './contacts.reads.ts';
import { createContact, updateContact } from './contacts.service.ts';

const reads = { member: true, scope: 'customers:read' } as const;
const writes = { admin: true, scope: 'customers:write' } as const;

const ContactPermissions = permissionsType('ContactPermissions', { update: 'updateContact' });

const ContactRef = builder.prismaNode('Contact', {
  id: { resolve: ({ id }) => String(id) },
  findUnique: (id, context) => ({ tenantId_id: tenantKey(context, 'Contact', id) }),
  // Not `authScopes` of the type: a key that may only write still gets the object that it wrote in the response.
  extensions: nodeAccess(reads),
  description: 'A person who buys for an organization. The shop owns what it is.',
  select: { id: true, tenantId: true },
  fields: (t) => ({
    databaseId: t.expose('id', { type: 'Long', description: 'The id that REST uses.' }),
    organization: t.relation('organization', { description: 'Whom it buys for.' }),
    organizationId: t.expose('organizationId', {
      type: 'Long',
      description: 'The `databaseId` of its organization.',
    }),
    email: t.exposeString('email', { description: 'In lower case; unique in its organization.' }),
    firstName: t.exposeString('firstName', { nullable: true, description: 'Null where it was not given.' }),
    lastName: t.exposeString('lastName', { nullable: true, description: 'Null where it was not given.' }),
    role: t.exposeString('role', { nullable: true, description: 'What the person does there, in the shop’s words.' }),
    approvalLimit: t.expose('approvalLimit', {
      type: 'Decimal',
      nullable: true,
      description: 'Gross; an order above it waits for an approval. Null: no limit.',
    }),
    viewerCan: t.field({ type: ContactPermissions, resolve: () => permissions }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});

const ContactFilterInput = builder.inputType('ContactFilter', {
  description: 'All given filters must match.',
  fields: (t) => ({
    organizationId: t.id({ description: 'Those of this organization.' }),
    search: t.string({ description: 'Part of the address or of a name, in any case; at most 191 characters.' }),
    updatedSince: t.field({ type: 'DateTime', description: 'Changed at this instant or later.' }),
  }),
});

const ContactOrderInput = orderInput('Contact', {
  of: 'contacts',
  fields: { EMAIL: {}, CREATED_AT: {}, UPDATED_AT: {} },
});

interface ContactPage extends PageArgs {
  filter: Omit<ContactFilter, 'tenantId'>;
  orderBy?: typeof ContactOrderInput.$inferInput | null;
}

function pageOfContacts({ filter, orderBy, ...page }: ContactPage, context: Context, info: GraphQLResolveInfo) {
  const { db, deps, tenantId } = inTenant(context);
  const selected = queryFromInfo({ context, info, path: ['edges', 'node'], typeName: 'Contact' });
  return pageInOrder(contactList, page, {
    filter: { ...filter, tenantId },
    order: orderBy ?? { field: 'CREATED_AT', direction: 'DESC' },
    query: (statement) => deps.database.tenantQuery(tenantId, statement),
    load: (ids) => db.contact.findMany({ ...selected, where: { tenantId, id: { in: ids.map(BigInt) } } }),
    rowId: ({ id }) => String(id),
  });
}

const ContactConnection = defineConnection(ContactRef);

builder.queryFields((t) => ({
  contact: t.prismaField({
    type: ContactRef,
    description: 'A contact of the tenant.',
    nullable: true,
    authScopes: reads,
    args: { id: t.arg.id({ required: true }) },
    resolve: (query, _root, { id }, context) => {
      const { db, tenantId } = inTenant(context);
      return db.contact.findUnique({ ...query, where: { tenantId_id: { tenantId, id: readId('Contact', id) } } });
    },
  }),
  contacts: t.connection(
    {
      type: ContactRef,
      description: 'The contacts of the tenant.',
      authScopes: reads,
      args: {
        filter: t.arg({ type: ContactFilterInput }),
        orderBy: t.arg({ type: ContactOrderInput, description: 'Left out: newest first.' }),
        offset: t.arg.int(offsetArg),
      },
      resolve: (_root, { filter, ...page }, context, info) => {
        const organizationId = filter?.organizationId == null ? null : readId('Organization', filter.organizationId);
        return pageOfContacts({ ...page, filter: { ...filter, organizationId } }, context, info);
      },
    },
    ContactConnection,
  ),
}));

builder.prismaObjectField('Organization', 'contacts', (t) =>
  t.connection(
    {
      type: ContactRef,
      description: 'Who buys for it.',
      authScopes: reads,
      select: { id: true },
      args: {
        orderBy: t.arg({ type: ContactOrderInput, description: 'Left out: newest first.' }),
        offset: t.arg.int(offsetArg),
      },
      resolve: ({ id }, page, context, info) =>
        pageOfContacts({ ...page, filter: { organizationId: id } }, context, info),
    },
    ContactConnection,
  ),
);

builder.relayMutationField(
  'createContact',
  mutationInput(createContactInput, (t) => ({
    organizationId: t.id({ description: 'Whom the person buys for.', required: true }),
  })),
  {
    description: 'Adds a contact to an organization. Its fields are the shop’s: an API key is refused at each of them.',
    authScopes: writes,
    errors: errorTypes,
    resolve: async (_root, { input: { organizationId, ...input } }, context) => ({
      contact: await createContact(
        context.deps,
        inTenant(context).actor,
        readId('Organization', organizationId),
        input,
      ),
    }),
  },
  { outputFields: (t) => ({ contact: t.field({ type: ContactRef, resolve: ({ contact }) => contact }) }) },
);

builder.relayMutationField(
  'updateContact',
  mutationInput(updateContactInput, idField),
  {
    description:
      'Changes what is given and leaves the rest. Its fields are the shop’s: an API key is refused at each of them.',
    authScopes: writes,
    errors: errorTypes,
    resolve: async (_root, { input: { id, ...changes } }, context) => ({
      contact: await updateContact(context.deps, inTenant(context).actor, readId('Contact', id), changes),
    }),
  },
  { outputFields: (t) => ({ contact: t.field({ type: ContactRef, resolve: ({ contact }) => contact }) }) },
);
