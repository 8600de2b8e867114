import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { defineCounts, rangeLimits, readRange, StatsInterval, timeZoneArg } from '#src/graphql/statistics.ts';
import type { Series } from '#src/infra/time-buckets.ts';
import { type ImportCounts, readImportStatistics } from './import-statistics.reads.ts';

const { Total, Bucket } = defineCounts<ImportCounts>(
  'ImportStats',
  'Imports as they stand now, by when they were started; without dry runs.',
  (t) => ({
    unfinished: t.expose('unfinished', { type: 'Long', description: 'Imports that are queued or running.' }),
    completed: t.expose('completed', {
      type: 'Long',
      description: 'Imports that ended, with or without rejected rows.',
    }),
    failed: t.expose('failed', { type: 'Long', description: 'Imports that could not go on.' }),
    cancelled: t.expose('cancelled', { type: 'Long', description: 'Imports that somebody stopped.' }),
    rowsRead: t.expose('rowsRead', { type: 'Long', description: 'Rows of their files.' }),
    rowsWritten: t.expose('rowsWritten', { type: 'Long', description: 'Rows that changed something.' }),
    rowsUnchanged: t.expose('rowsUnchanged', { type: 'Long', description: 'Rows that say what was so already.' }),
    rowsRejected: t.expose('rowsRejected', { type: 'Long', description: 'Rows that were not taken.' }),
  }),
);

const ImportStatsSeries = builder.objectRef<Series<ImportCounts>>('ImportStatsSeries').implement({
  description: 'The imports into one target over time.',
  fields: (t) => ({
    target: t.exposeString('key', { description: 'What is imported.' }),
    total: t.expose('total', { type: Total, description: 'The imports of all its buckets.' }),
    buckets: t.expose('buckets', { type: [Bucket], description: 'Every bucket in order, also empty ones.' }),
  }),
});

const ImportStatsFilterInput = builder.inputType('ImportStatsFilter', {
  description: 'All given filters must match.',
  fields: (t) => ({
    since: t.field({
      type: 'DateTime',
      required: true,
      description: 'Started in the bucket of this instant or later.',
    }),
    until: t.field({
      type: 'DateTime',
      description: 'Started before this instant, or in the bucket that contains it; now where it is left out.',
    }),
    target: t.string({ description: 'Those into this target.' }),
    profile: t.string({ description: 'Those by the profile of this name.' }),
  }),
});

builder.queryField('importStats', (t) =>
  t.field({
    type: [ImportStatsSeries],
    authScopes: { member: true, scope: 'io:read' },
    complexity: 250,
    description: `Counts imports and their rows: a series for each target. ${rangeLimits}`,
    args: {
      filter: t.arg({ type: ImportStatsFilterInput, required: true }),
      interval: t.arg({ type: StatsInterval, required: true, description: 'How long each bucket is.' }),
      timeZone: t.arg.string(timeZoneArg),
    },
    resolve: (_root, args, context) => {
      const { deps, tenantId } = inTenant(context);
      return readImportStatistics(deps.database, tenantId, args.filter, readRange(args));
    },
  }),
);
