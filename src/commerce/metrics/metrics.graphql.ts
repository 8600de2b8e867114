import { encodeGlobalID, type NodeObjectOptions } from '@pothos/plugin-relay';
import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { createRowLoader } from '#src/graphql/fast/row-loader.ts';
import { nodeAccess } from '#src/graphql/node-access.ts';
import { defineConnection } from '#src/graphql/paging/connection-types.ts';
import { offsetArg } from '#src/graphql/paging/connections.ts';
import { orderInput } from '#src/graphql/paging/order-input.ts';
import { pageInOrder } from '#src/graphql/paging/ordered-lists.ts';
import { isRow } from '#src/graphql/rows.ts';
import { readId } from '#src/infra/inputs.ts';
import { metricsList, type OrganizationMetricsRow, readMetrics } from './metrics.reads.ts';

const reads = { member: true, scope: 'customers:read' } as const;

const MetricsRef = builder.objectRef<OrganizationMetricsRow>('OrganizationMetrics');

const node: Pick<NodeObjectOptions<typeof builder.$inferSchemaTypes, typeof MetricsRef, []>, 'loadMany'> = {
  loadMany: async (ids, context) => {
    const { deps, tenantId } = inTenant(context);
    const keys = ids.map((id) => readId('OrganizationMetrics', id));
    const found = new Map((await readMetrics(deps.database, tenantId, keys)).map((row) => [BigInt(row.id), row]));
    return keys.map((key) => found.get(key) ?? null);
  },
};

const loadOrganization = createRowLoader((db, rows) => db.organization.findMany(rows));

const revenue = (days: number) => `Net, of the ${days} days (UTC) that end today; without cancelled orders.`;
const orders = (days: number) => `Placed in the ${days} days (UTC) that end today; without cancelled ones.`;

MetricsRef.implement({
  ...node,
  extensions: nodeAccess(reads),
  interfaces: [builder.nodeInterfaceRef()],
  isTypeOf: (value) => isRow(value, 'revenue365d'),
  description: 'What an organization has ordered in a currency.',
  fields: (t) => ({
    id: t.id({ resolve: ({ id }) => encodeGlobalID('OrganizationMetrics', id) }),
    databaseId: t.expose('id', { type: 'Long', description: 'A number that no other row of the tenant has.' }),
    organizationId: t.expose('organizationId', { type: 'Long', description: 'The `databaseId` of the organization.' }),
    organization: t.prismaField({
      type: 'Organization',
      description: 'Who ordered.',
      resolve: async (query, { organizationId }, _args, context, info) =>
        (await loadOrganization(context, info, BigInt(organizationId), { ...query })) as never,
    }),
    customerNumber: t.exposeString('customerNumber', { description: 'That of the organization.' }),
    currency: t.exposeString('currency', { description: 'Three capitals.' }),
    revenue30d: t.expose('revenue30d', { type: 'Decimal', description: revenue(30) }),
    revenue90d: t.expose('revenue90d', { type: 'Decimal', description: revenue(90) }),
    revenue365d: t.expose('revenue365d', { type: 'Decimal', description: revenue(365) }),
    orders30d: t.expose('orders30d', { type: 'Long', description: orders(30) }),
    orders90d: t.expose('orders90d', { type: 'Long', description: orders(90) }),
    orders365d: t.expose('orders365d', { type: 'Long', description: orders(365) }),
    lastOrderAt: t.expose('lastOrderAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the last order that is not cancelled was placed; null where there is none.',
    }),
  }),
});

const MetricsFilterInput = builder.inputType('OrganizationMetricsFilter', {
  description: 'Which rows.',
  fields: (t) => ({ organizationId: t.id({ description: 'Those of this organization.' }) }),
});

const MetricsOrderInput = orderInput('OrganizationMetrics', {
  of: 'metrics',
  fields: {
    CREATED_AT: { description: 'By the first order of the organization in the currency.' },
    ORGANIZATION_ID: {},
  },
});

builder.queryFields((t) => ({
  organizationMetrics: t.connection(
    {
      type: MetricsRef,
      description: 'What organizations have ordered: a row for each organization and currency.',
      authScopes: reads,
      args: {
        filter: t.arg({ type: MetricsFilterInput }),
        orderBy: t.arg({ type: MetricsOrderInput, description: 'Left out: newest first.' }),
        offset: t.arg.int(offsetArg),
      },
      resolve: (_root, { filter, orderBy, ...page }, context) => {
        const { deps, tenantId } = inTenant(context);
        const organizationId = filter?.organizationId == null ? null : readId('Organization', filter.organizationId);
        return pageInOrder(metricsList, page, {
          filter: { tenantId, organizationId },
          order: orderBy ?? { field: 'CREATED_AT', direction: 'DESC' },
          query: (statement) => deps.database.tenantQuery(tenantId, statement),
          load: (ids) => readMetrics(deps.database, tenantId, ids),
          rowId: ({ id }) => String(id),
        });
      },
    },
    defineConnection(MetricsRef),
  ),
}));
