import { z } from 'zod';
import { databaseId } from '#rest/parameters.ts';
import { one } from '#rest/replies.ts';
import { route } from '#rest/route.ts';
import { instantText } from '#src/infra/text/instant-text.ts';
import { attributeParameters, attributesIn } from './attribute-parameters.ts';

const tag = { name: 'Customers', description: 'Organizations that buy, their people, and what they have ordered.' };

const organizationFields = `fragment Organization on Organization {
  id: databaseId customer_number: customerNumber name
  addresses { type name street postal_code: postalCode city country }
  payment_terms: paymentTerms attributes created_at: createdAt updated_at: updatedAt
}`;

const contactFields = `fragment Contact on Contact {
  id: databaseId organization_id: organizationId email first_name: firstName last_name: lastName role
  approval_limit: approvalLimit created_at: createdAt updated_at: updatedAt
}`;

export const customerRoutes = [
  route({
    method: 'GET',
    path: '/customers/organizations',
    name: 'listOrganizations',
    tag,
    summary: 'The organizations of the tenant.',
    document: `query ($filter: OrganizationFilter, $orderBy: OrganizationOrder, $first: Int, $offset: Int) {
      organizations(filter: $filter, orderBy: $orderBy, first: $first, offset: $offset) {
        totalCount edges { node { ...Organization } }
      }
    } ${organizationFields}`,
    query: z
      .object({
        search: z.string().optional(),
        customer_number: z.string().optional(),
        updated_since: instantText.optional(),
      })
      .catchall(attributeParameters('organization')),
    list: { order: { fields: ['customer_number', 'created_at', 'updated_at'], byDefault: 'created_at.desc' } },
    variables: ({
      query: { search, customer_number: customerNumber, updated_since: updatedSince, ...more },
      page,
    }) => ({
      filter: { search, customerNumber, updatedSince, attributes: attributesIn(more) },
      ...page,
    }),
  }),
  route({
    method: 'GET',
    path: '/customers/organizations/{id}',
    name: 'getOrganization',
    tag,
    summary: 'An organization.',
    document: `query ($id: ID!) { organization(id: $id) { ...Organization } } ${organizationFields}`,
    variables: ({ params }) => ({ id: params.id }),
    reply: one(),
  }),
  route({
    method: 'GET',
    path: '/customers/contacts',
    name: 'listContacts',
    tag,
    summary: 'The contacts of the tenant’s organizations.',
    document: `query ($filter: ContactFilter, $orderBy: ContactOrder, $first: Int, $offset: Int) {
      contacts(filter: $filter, orderBy: $orderBy, first: $first, offset: $offset) {
        totalCount edges { node { ...Contact } }
      }
    } ${contactFields}`,
    query: z.object({
      organization_id: databaseId.optional(),
      search: z.string().optional(),
      updated_since: instantText.optional(),
    }),
    list: { order: { fields: ['email', 'created_at', 'updated_at'], byDefault: 'created_at.desc' } },
    variables: ({ query: { organization_id: organizationId, search, updated_since: updatedSince }, page }) => ({
      filter: { organizationId: organizationId?.toString(), search, updatedSince },
      ...page,
    }),
  }),
  route({
    method: 'GET',
    path: '/customers/contacts/{id}',
    name: 'getContact',
    tag,
    summary: 'A contact.',
    document: `query ($id: ID!) { contact(id: $id) { ...Contact } } ${contactFields}`,
    variables: ({ params }) => ({ id: params.id }),
    reply: one(),
  }),
  route({
    method: 'GET',
    path: '/customers/organization_metrics',
    name: 'listOrganizationMetrics',
    tag,
    summary: 'What organizations have ordered, without what was cancelled: a row for each organization and currency.',
    document: `query ($filter: OrganizationMetricsFilter, $orderBy: OrganizationMetricsOrder, $first: Int, $offset: Int) {
      organizationMetrics(filter: $filter, orderBy: $orderBy, first: $first, offset: $offset) {
        totalCount edges {
          node {
            organization_id: organizationId customer_number: customerNumber currency
            revenue_30d: revenue30d revenue_90d: revenue90d revenue_365d: revenue365d
            orders_30d: orders30d orders_90d: orders90d orders_365d: orders365d last_order_at: lastOrderAt
          }
        }
      }
    }`,
    query: z.object({ organization_id: databaseId.optional() }),
    list: { order: { fields: ['created_at', 'organization_id'], byDefault: 'created_at.desc' } },
    variables: ({ query: { organization_id: organizationId }, page }) => ({
      filter: { organizationId: organizationId?.toString() },
      ...page,
    }),
  }),
];
