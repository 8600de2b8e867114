import { builder } from '#src/graphql/builder.ts';
import { createRowLoader } from '#src/graphql/fast/row-loader.ts';

// The buyer of an order. A key that may only read orders sees the ids, and nothing else of the customers.

const reads = { member: true, scope: 'customers:read' } as const;

const loadOrganization = createRowLoader((db, rows) => db.organization.findMany(rows));
const loadContact = createRowLoader((db, rows) => db.contact.findMany(rows));

builder.objectFields('Order', (t) => ({
  organization: t.prismaField({
    type: 'Organization',
    nullable: true,
    authScopes: reads,
    description: 'The organization that buys; null where it was not given.',
    resolve: async (query, { organizationId: id }, _args, context, info) => {
      const asked = { ...query };
      return id === null ? null : await loadOrganization(context, info, BigInt(id), asked);
    },
  }),
  contact: t.prismaField({
    type: 'Contact',
    nullable: true,
    authScopes: reads,
    description: 'The contact who ordered; null where it was not given.',
    resolve: async (query, { contactId: id }, _args, context, info) => {
      const asked = { ...query };
      return id === null ? null : await loadContact(context, info, BigInt(id), asked);
    },
  }),
}));
