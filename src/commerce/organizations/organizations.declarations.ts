import { z } from 'zod';
import type { Organization } from '#prisma/client.ts';
import { type Address, addressAsData, addressData } from '#src/commerce/addresses/addresses.inputs.ts';
import type { AttributeValues } from '#src/commerce/attributes/attribute-values.rules.ts';
import { attributesSchema } from '#src/commerce/attributes/attributes.inputs.ts';
import { defineScopes } from '#src/infra/key-scopes.ts';
import { defineAudited } from '#src/journal/audit/audited.ts';
import { defineTopic } from '#src/journal/outbox/topic.ts';

export const auditedOrganization = defineAudited({
  type: 'organization',
  node: 'Organization',
  actions: ['create', 'update'],
});

const organization = z.object({
  id: z.int(),
  customer_number: z.string(),
  name: z.string(),
  addresses: z.array(addressData),
  payment_terms: z.string().nullable(),
  attributes: attributesSchema('organization'),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});

export const organizationCreated = defineTopic({
  name: 'organization.created',
  when: 'when an organization is made',
  data: organization,
});
export const organizationUpdated = defineTopic({
  name: 'organization.updated',
  when: 'when an organization is changed',
  data: organization,
});

/** The organization as REST shows it. */
export const organizationData = (row: Organization): z.input<typeof organization> => ({
  id: Number(row.id),
  customer_number: row.customerNumber,
  name: row.name,
  addresses: (row.addresses as unknown as Address[]).map(addressAsData),
  payment_terms: row.paymentTerms,
  attributes: row.attributes as AttributeValues,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
});

declare module '#src/infra/key-scopes.ts' {
  interface KeyScopes {
    'customers:read': true;
    'customers:write': true;
  }
}

/** Scopes for organizations and their contacts, cost centres and metrics. */
export const customerScopes = defineScopes({
  'customers:read': 'Read organizations, contacts, cost centres and metrics.',
  'customers:write': 'Make and change organizations.',
});
