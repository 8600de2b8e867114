import { deliveryDays } from '#src/commerce/webhooks/delivery-log.rules.ts';
import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { createRowLoader } from '#src/graphql/fast/row-loader.ts';
import { defineCounts, rangeLimits, readRange, StatsInterval, timeZoneArg } from '#src/graphql/statistics.ts';
import { readId } from '#src/infra/inputs.ts';
import {
  type DeliveryCounts,
  type DeliverySeries,
  maxDestinations,
  readDeliveryStatistics,
} from './delivery-statistics.reads.ts';

const { Total, Bucket } = defineCounts<DeliveryCounts>(
  'DeliveryStats',
  'Webhook deliveries in the log as they stand now, by when they were made.',
  (t) => ({
    total: t.field({
      type: 'Long',
      description: 'All of them.',
      resolve: ({ delivered, pending, failed, held }) => delivered + pending + failed + held,
    }),
    delivered: t.expose('delivered', { type: 'Long', description: 'Those that arrived.' }),
    pending: t.expose('pending', { type: 'Long', description: 'Those that wait for their next attempt.' }),
    failed: t.expose('failed', { type: 'Long', description: 'Those that were given up after the last attempt.' }),
    held: t.expose('held', { type: 'Long', description: 'Those that are not sent until somebody recovers them.' }),
    attempts: t.expose('attempts', { type: 'Long', description: 'Attempts to send them, also later ones.' }),
  }),
);

const loadDestination = createRowLoader((db, rows) => db.webhookDestination.findMany(rows));

const DeliveryStatsSeries = builder.objectRef<DeliverySeries>('DeliveryStatsSeries').implement({
  description: 'The deliveries to one destination, or to all, over time.',
  fields: (t) => ({
    destination: t.prismaField({
      type: 'WebhookDestination',
      nullable: true,
      description: 'Set for `byDestination`; null once it was deleted.',
      resolve: async (query, { key }, _args, context, info) => {
        const asked = { ...query };
        return key === '' ? null : await loadDestination(context, info, BigInt(key), asked);
      },
    }),
    total: t.expose('total', { type: Total, description: 'The deliveries of all its buckets.' }),
    buckets: t.expose('buckets', { type: [Bucket], description: 'Every bucket in order, also empty ones.' }),
    countedSince: t.expose('countedSince', {
      type: 'DateTime',
      nullable: true,
      description: `Null: every delivery of the range is counted. Otherwise the range begins before the ${deliveryDays} days that the log keeps, and only those since this instant all are.`,
    }),
  }),
});

const DeliveryStatsFilterInput = builder.inputType('DeliveryStatsFilter', {
  description: 'All given filters must match.',
  fields: (t) => ({
    since: t.field({ type: 'DateTime', required: true, description: 'Made in the bucket of this instant or later.' }),
    until: t.field({
      type: 'DateTime',
      description: 'Made before this instant, or in the bucket that contains it; now where it is left out.',
    }),
    destinationId: t.id({ description: 'Those to this destination.' }),
  }),
});

builder.queryField('deliveryStats', (t) =>
  t.field({
    type: [DeliveryStatsSeries],
    authScopes: { member: true, scope: 'webhooks:read' },
    complexity: 250,
    description: `Counts the webhook deliveries that are in the log. ${rangeLimits}`,
    args: {
      filter: t.arg({ type: DeliveryStatsFilterInput, required: true }),
      interval: t.arg({ type: StatsInterval, required: true, description: 'How long each bucket is.' }),
      byDestination: t.arg.boolean({
        description: `A series for each of the ${maxDestinations} destinations with the most deliveries, instead of one of all.`,
      }),
      timeZone: t.arg.string(timeZoneArg),
    },
    resolve: (_root, args, context) => {
      const { deps, tenantId } = inTenant(context);
      const { destinationId: id } = args.filter;
      const given = {
        destinationId: id == null ? null : readId('WebhookDestination', id),
        byDestination: args.byDestination === true,
      };
      return readDeliveryStatistics(deps.database, tenantId, given, readRange(args));
    },
  }),
);
