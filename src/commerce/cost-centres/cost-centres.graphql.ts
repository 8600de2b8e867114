import { queryFromInfo } from '@pothos/plugin-prisma';
import type { GraphQLResolveInfo } from 'graphql';
import { builder } from '#src/graphql/builder.ts';
import { type Context, inTenant, tenantKey } from '#src/graphql/context.ts';
import { errorTypes } from '#src/graphql/error-types.ts';
import { mutationInput } from '#src/graphql/mutation-input.ts';
import { nodeAccess } from '#src/graphql/node-access.ts';
import { defineConnection } from '#src/graphql/paging/connection-types.ts';
import { offsetArg, type PageArgs } from '#src/graphql/paging/connections.ts';
import { orderInput } from '#src/graphql/paging/order-input.ts';
import { pageInOrder } from '#src/graphql/paging/ordered-lists.ts';
import { permissions, permissionsType } from '#src/graphql/viewer-can.ts';
import { readId } from '#src/infra/inputs.ts';
import { upsertCostCentreInput } from './cost-centres.inputs.ts';
import { costCentreList } from './cost-centres.reads.ts';
import { upsertCostCentre } from './cost-centres.service.ts';

const reads = { member: true, scope: 'customers:read' } as const;

const CostCentrePermissions = permissionsType('CostCentrePermissions', {
  update: 'upsertCostCentre',
});

const CostCentreRef = builder.prismaNode('CostCentre', {
  id: { resolve: ({ id }) => String(id) },
  findUnique: (id, context) => ({ tenantId_id: tenantKey(context, 'CostCentre', id) }),
  // Not `authScopes` of the type: a key that may only write still gets the object that it wrote in the response.
  extensions: nodeAccess(reads),
  description: 'What an organization books the positions of an order on. The shop owns what it is.',
  select: { id: true, tenantId: true },
  fields: (t) => ({
    databaseId: t.expose('id', { type: 'Long', description: 'A number that no other cost centre of the tenant has.' }),
    organization: t.relation('organization', { description: 'Whose it is.' }),
    code: t.exposeString('code', { description: 'What positions name it by; unique in its organization.' }),
    name: t.exposeString('name', { nullable: true, description: 'For people; null where it has none.' }),
    budget: t.expose('budget', {
      type: 'Decimal',
      nullable: true,
      description: 'Gross, a calendar month in UTC; an order that would exceed it waits for an approval. Null: none.',
    }),
    viewerCan: t.field({ type: CostCentrePermissions, resolve: () => permissions }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});

const CostCentreFilterInput = builder.inputType('CostCentreFilter', {
  description: 'Which cost centres.',
  fields: (t) => ({ organizationId: t.id({ description: 'Those of this organization.' }) }),
});

const CostCentreOrderInput = orderInput('CostCentre', { of: 'cost centres', fields: { CODE: {}, CREATED_AT: {} } });

interface CostCentrePage extends PageArgs {
  orderBy?: typeof CostCentreOrderInput.$inferInput | null;
}

function pageOfCostCentres(
  organizationId: bigint | null,
  { orderBy, ...page }: CostCentrePage,
  context: Context,
  info: GraphQLResolveInfo,
) {
  const { db, deps, tenantId } = inTenant(context);
  const selected = queryFromInfo({ context, info, path: ['edges', 'node'], typeName: 'CostCentre' });
  return pageInOrder(costCentreList, page, {
    filter: { tenantId, organizationId },
    order: orderBy ?? { field: 'CODE', direction: 'ASC' },
    query: (statement) => deps.database.tenantQuery(tenantId, statement),
    load: (ids) => db.costCentre.findMany({ ...selected, where: { tenantId, id: { in: ids.map(BigInt) } } }),
    rowId: ({ id }) => String(id),
  });
}

const CostCentreConnection = defineConnection(CostCentreRef);
const byCode = 'Left out: by code.';

builder.queryFields((t) => ({
  costCentres: t.connection(
    {
      type: CostCentreRef,
      description: 'The cost centres of the tenant’s organizations.',
      authScopes: reads,
      args: {
        filter: t.arg({ type: CostCentreFilterInput }),
        orderBy: t.arg({ type: CostCentreOrderInput, description: byCode }),
        offset: t.arg.int(offsetArg),
      },
      resolve: (_root, { filter, ...page }, context, info) => {
        const organizationId = filter?.organizationId == null ? null : readId('Organization', filter.organizationId);
        return pageOfCostCentres(organizationId, page, context, info);
      },
    },
    CostCentreConnection,
  ),
}));

builder.prismaObjectField('Organization', 'costCentres', (t) =>
  t.connection(
    {
      type: CostCentreRef,
      description: 'What its positions are booked on.',
      authScopes: reads,
      select: { id: true },
      args: {
        orderBy: t.arg({ type: CostCentreOrderInput, description: byCode }),
        offset: t.arg.int(offsetArg),
      },
      resolve: ({ id }, page, context, info) => pageOfCostCentres(id, page, context, info),
    },
    CostCentreConnection,
  ),
);

builder.relayMutationField(
  'upsertCostCentre',
  mutationInput(upsertCostCentreInput, (t) => ({
    organizationId: t.id({ description: 'Whose it is.', required: true }),
  })),
  {
    description:
      'Makes the cost centre of a code, or changes what is given of it. Its fields are the shop’s: an API key is refused ' +
      'at each of them.',
    authScopes: { admin: true, scope: 'customers:write' },
    errors: errorTypes,
    resolve: async (_root, { input: { organizationId, ...input } }, context) => ({
      costCentre: await upsertCostCentre(
        context.deps,
        inTenant(context).actor,
        readId('Organization', organizationId),
        input,
      ),
    }),
  },
  { outputFields: (t) => ({ costCentre: t.field({ type: CostCentreRef, resolve: ({ costCentre }) => costCentre }) }) },
);
