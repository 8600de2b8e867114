import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { defineCounts, rangeLimits, readRange, StatsInterval, timeZoneArg } from '#src/graphql/statistics.ts';
import { readId } from '#src/infra/inputs.ts';
import type { Series } from '#src/infra/time-buckets.ts';
import { maxCurrencies, type OrderCounts, readOrderStatistics } from './order-statistics.reads.ts';

const { Total, Bucket } = defineCounts<OrderCounts>(
  'OrderStats',
  'Orders as they stand now, by when they were placed.',
  (t) => ({
    orders: t.expose('orders', { type: 'Long', description: 'Without cancelled ones.' }),
    cancelled: t.expose('cancelled', { type: 'Long', description: 'Cancelled since.' }),
    net: t.expose('net', { type: 'Decimal', description: 'Their sum without tax; without cancelled orders.' }),
    gross: t.expose('gross', { type: 'Decimal', description: 'Their sum with tax; without cancelled orders.' }),
  }),
);

const OrderStatsSeries = builder.objectRef<Series<OrderCounts>>('OrderStatsSeries').implement({
  description: 'The orders in one currency over time.',
  fields: (t) => ({
    currency: t.exposeString('key', { description: 'Three capitals.' }),
    total: t.expose('total', { type: Total, description: 'The orders of all its buckets.' }),
    buckets: t.expose('buckets', { type: [Bucket], description: 'Every bucket in order, also empty ones.' }),
  }),
});

const OrderStatsFilterInput = builder.inputType('OrderStatsFilter', {
  description: 'All given filters must match.',
  fields: (t) => ({
    since: t.field({ type: 'DateTime', required: true, description: 'Placed in the bucket of this instant or later.' }),
    until: t.field({
      type: 'DateTime',
      description: 'Placed before this instant, or in the bucket that contains it; now where it is left out.',
    }),
    channel: t.string({ description: 'Those of this channel.' }),
    organizationId: t.id({ description: 'Those of this organization.' }),
  }),
});

builder.queryField('orderStats', (t) =>
  t.field({
    type: [OrderStatsSeries],
    authScopes: { member: true, scope: 'orders:read' },
    complexity: 250,
    description: `Counts orders and adds up their values: a series for each of the ${maxCurrencies} currencies with the most orders. ${rangeLimits}`,
    args: {
      filter: t.arg({ type: OrderStatsFilterInput, required: true }),
      interval: t.arg({
        type: StatsInterval,
        required: true,
        defaultValue: 'day',
        description: 'How long each bucket is.',
      }),
      timeZone: t.arg.string(timeZoneArg),
    },
    resolve: (_root, args, context) => {
      const { deps, tenantId } = inTenant(context);
      const { channel, organizationId } = args.filter;
      const given = { channel, organizationId: organizationId == null ? null : readId('Organization', organizationId) };
      return readOrderStatistics(deps.database, tenantId, given, readRange(args));
    },
  }),
);
