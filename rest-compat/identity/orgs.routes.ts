import { inputBody } from '#rest/bodies.ts';
import { data, one } from '#rest/replies.ts';
import { route } from '#rest/route.ts';
import { orgInput } from '#src/identity/tenants.inputs.ts';

const tag = { name: 'Organisations', description: 'Organisations and their tenants, for operators.' };
const orgFields = 'fragment Org on Org { id: slug name created_at: createdAt }';
const tenantFields = 'fragment Tenant on Tenant { id: slug org_id: orgId name created_at: createdAt }';

export const orgRoutes = [
  route({
    method: 'GET',
    path: '/admin/orgs',
    name: 'listOrgs',
    tag,
    summary: 'All organisations, by id.',
    document: `query { orgs { ...Org } } ${orgFields}`,
    reply: data(),
  }),
  route({
    method: 'POST',
    path: '/admin/orgs',
    name: 'createOrg',
    tag,
    summary: 'Makes an organisation.',
    document: `mutation ($input: CreateOrgInput!) {
        createOrg(input: $input) { ... on CreateOrgPayload { org { ...Org } } ...Failure }
      } ${orgFields}`,
    body: inputBody(orgInput),
    variables: ({ body }) => ({ input: body }),
    reply: one({ status: 201, at: 'org' }),
    refuses: ['CONFLICT'],
    example: { body: { id: 'example-org', name: 'Example' } },
  }),
  route({
    method: 'GET',
    path: '/admin/orgs/{org_id}/tenants',
    name: 'listTenants',
    tag,
    summary: "An organisation's tenants, by id.",
    document: `query ($id: String!) { org(id: $id) { tenants { ...Tenant } } } ${tenantFields}`,
    variables: ({ params }) => ({ id: params.org_id }),
    reply: data({ at: 'tenants' }),
  }),
  route({
    method: 'POST',
    path: '/admin/orgs/{org_id}/tenants',
    name: 'createTenant',
    tag,
    summary: 'Makes a tenant of an organisation.',
    document: `mutation ($input: CreateTenantInput!) {
        createTenant(input: $input) { ... on CreateTenantPayload { tenant { ...Tenant } } ...Failure }
      } ${tenantFields}`,
    body: inputBody(orgInput),
    variables: ({ params, body }) => ({ input: { ...body, orgId: params.org_id } }),
    reply: one({ status: 201, at: 'tenant' }),
    refuses: ['CONFLICT'],
    example: { body: { id: 'example-shop', name: 'Example shop' } },
  }),
];
