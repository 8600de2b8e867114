import { builder } from '#src/graphql/builder.ts';
import { errorTypes } from '#src/graphql/error-types.ts';
import { mutationInput } from '#src/graphql/mutation-input.ts';
import { permissions, permissionsType } from '#src/graphql/viewer-can.ts';
import { orgInput } from './tenants.inputs.ts';
import { createOrg, createTenant } from './tenants.service.ts';

const listedAtMost = 1_000;

const OrgPermissions = permissionsType('OrgPermissions', { createTenant: 'createTenant' });

const OrgRef = builder.prismaNode('Org', {
  id: { resolve: ({ id }) => id },
  findUnique: (id) => ({ id }),
  select: { id: true },
  description: 'An organisation: whose tokens name the tenants they may enter.',
  authScopes: { operator: true },
  fields: (t) => ({
    slug: t.exposeString('id', { description: 'What tokens and arguments name it by.' }),
    name: t.exposeString('name'),
    viewerCan: t.field({ type: OrgPermissions, resolve: () => permissions }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    tenants: t.relation('tenants', {
      description: `By slug, at most ${listedAtMost}.`,
      query: { orderBy: { id: 'asc' }, take: listedAtMost },
    }),
  }),
});

const TenantRef = builder.prismaNode('Tenant', {
  id: { resolve: ({ id }) => id },
  findUnique: (id) => ({ id }),
  select: { id: true },
  description: 'A shop of an organisation; nothing it has is seen by another.',
  authScopes: { operator: true },
  fields: (t) => ({
    slug: t.exposeString('id', { description: 'What `x-tenant-id` and arguments name it by.' }),
    org: t.relation('org', { description: 'The organisation it belongs to.' }),
    orgId: t.exposeString('orgId', { description: 'The slug of its organisation.' }),
    name: t.exposeString('name'),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
  }),
});

builder.queryFields((t) => ({
  orgs: t.prismaField({
    type: [OrgRef],
    description: `All organisations by slug, at most ${listedAtMost}.`,
    authScopes: { operator: true },
    resolve: (query, _root, _args, { deps }) =>
      deps.database.global.org.findMany({ ...query, orderBy: { id: 'asc' }, take: listedAtMost }),
  }),
  org: t.prismaField({
    type: OrgRef,
    description: 'One organisation.',
    nullable: true,
    authScopes: { operator: true },
    args: { id: t.arg.string({ description: 'Its slug.', required: true }) },
    resolve: (query, _root, { id }, { deps }) => deps.database.global.org.findUnique({ ...query, where: { id } }),
  }),
}));

builder.relayMutationField(
  'createOrg',
  mutationInput(orgInput),
  {
    description: 'Adds an organisation.',
    authScopes: { operator: true },
    errors: errorTypes,
    resolve: async (_root, { input }, { deps }) => ({
      org: await createOrg(deps.database, input),
    }),
  },
  { outputFields: (t) => ({ org: t.field({ type: OrgRef, resolve: ({ org }) => org }) }) },
);

builder.relayMutationField(
  'createTenant',
  mutationInput(orgInput, (t) => ({
    orgId: t.string({ description: 'The slug of its organisation.', required: true }),
  })),
  {
    description: 'Adds a tenant to an organisation.',
    authScopes: { operator: true },
    errors: errorTypes,
    resolve: async (_root, { input: { orgId, ...input } }, { deps }) => ({
      tenant: await createTenant(deps.database, orgId, input),
    }),
  },
  { outputFields: (t) => ({ tenant: t.field({ type: TenantRef, resolve: ({ tenant }) => tenant }) }) },
);
