import { rollupDays } from '#src/automation/runs/rollups/run-rollups.store.ts';
import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { defineEnum, TriggerTypeEnum } from '#src/graphql/enums.ts';
import { createRowLoader } from '#src/graphql/fast/row-loader.ts';
import { rangeLimits, readRange, StatsInterval, timeZoneArg } from '#src/graphql/statistics.ts';
import { readId } from '#src/infra/inputs.ts';
import { maxGroups, readRunStatistics, type RunBucket, type RunSeries } from './run-statistics.reads.ts';
import { type Grouping, groupings } from './run-statistics.rules.ts';
import { type RunCounts, runsIn } from './run-tallies.rules.ts';

export const RunStatsGrouping = defineEnum('RunStatsGrouping', groupings, {
  description: 'What each series is of.',
  values: { workflow: 'One workflow.', trigger_type: 'One trigger type.' },
});

const RunStatsFilterInput = builder.inputType('RunStatsFilter', {
  description: 'All given filters must match.',
  fields: (t) => ({
    since: t.field({ type: 'DateTime', required: true, description: 'Ended in the bucket of this instant or later.' }),
    until: t.field({
      type: 'DateTime',
      description: 'Ended before this instant, or in the bucket that contains it; now where it is left out.',
    }),
    workflowId: t.id(),
    triggerType: t.field({ type: TriggerTypeEnum, description: 'What fired them.' }),
  }),
});

const countsInterface = builder.interfaceRef<RunCounts>('RunStatsCounts').implement({
  description:
    'Runs that ended, as they stand now. Durations are of those that succeeded or failed, from start to end, in steps of at most 2.5 %, rounded down.',
  fields: (t) => ({
    total: t.field({
      type: 'Long',
      description: 'All that ended.',
      resolve: runsIn,
    }),
    succeeded: t.expose('succeeded', { type: 'Long', description: 'Those that ended without a failure.' }),
    failed: t.expose('failed', { type: 'Long', description: 'Without those that were retried since.' }),
    cancelled: t.expose('cancelled', { type: 'Long', description: 'Those that somebody, or a deletion, stopped.' }),
    p50Ms: t.expose('p50Ms', { type: 'Long', nullable: true, description: 'Half of them took at most this long.' }),
    p95Ms: t.expose('p95Ms', { type: 'Long', nullable: true, description: '95 % of them took at most this long.' }),
    maxMs: t.expose('maxMs', { type: 'Long', nullable: true, description: 'The longest duration.' }),
  }),
});

const RunStatsTotal = builder.objectRef<RunCounts>('RunStatsTotal').implement({
  description: 'All buckets together.',
  interfaces: [countsInterface],
});

const RunStatsBucket = builder.objectRef<RunBucket>('RunStatsBucket').implement({
  description: 'The runs that ended in one hour or day.',
  interfaces: [countsInterface],
  fields: (t) => ({
    from: t.field({ type: 'DateTime', description: 'Its start.', resolve: ({ from }) => new Date(from) }),
    until: t.field({
      type: 'DateTime',
      description: 'The start of the next.',
      resolve: ({ until }) => new Date(until),
    }),
  }),
});

interface Series extends RunSeries {
  grouping: Grouping | null;
}

const findWorkflow = createRowLoader((db, rows) => db.workflow.findMany(rows));

const RunStatsSeries = builder.objectRef<Series>('RunStatsSeries').implement({
  description: 'The runs of one group over time.',
  fields: (t) => ({
    workflow: t.prismaField({
      type: 'Workflow',
      nullable: true,
      description: 'Set for `groupBy: WORKFLOW`; null once the workflow was deleted for good.',
      resolve: async (query, { grouping, key }, _args, context, info) => {
        const asked = { ...query };
        return grouping === 'workflow' ? await findWorkflow(context, info, BigInt(key), asked) : null;
      },
    }),
    workflowId: t.field({
      type: 'Long',
      nullable: true,
      description: 'The `databaseId` of the workflow, for `groupBy: WORKFLOW`.',
      resolve: ({ grouping, key }) => (grouping === 'workflow' ? Number(key) : null),
    }),
    triggerType: t.field({
      type: TriggerTypeEnum,
      nullable: true,
      description: 'Set for `groupBy: TRIGGER_TYPE`.',
      resolve: ({ grouping, key }) => (grouping === 'trigger_type' ? (key as 'manual') : null),
    }),
    total: t.expose('total', { type: RunStatsTotal, description: 'The runs of all its buckets.' }),
    buckets: t.expose('buckets', { type: [RunStatsBucket], description: 'Every bucket in order, also empty ones.' }),
    countedSince: t.expose('countedSince', {
      type: 'DateTime',
      nullable: true,
      description: `Null: every run of the range is counted. Otherwise the range begins before the ${rollupDays} days that counts are kept, and only the half-hours that begin after this instant are all counted.`,
    }),
  }),
});

builder.queryField('runStats', (t) =>
  t.field({
    type: [RunStatsSeries],
    authScopes: { member: true },
    complexity: 250,
    description: `Counts runs by when they ended, in rollups that include every run that has ended by now. ${rangeLimits} Counts are kept for ${rollupDays} days, also of runs that retention has deleted.`,
    args: {
      filter: t.arg({ type: RunStatsFilterInput, required: true }),
      interval: t.arg({ type: StatsInterval, required: true, description: 'How long each bucket is.' }),
      groupBy: t.arg({
        type: RunStatsGrouping,
        description: `Left out: one series of all. Otherwise the ${maxGroups} groups with the most runs.`,
      }),
      timeZone: t.arg.string(timeZoneArg),
    },
    resolve: async (_root, { filter, interval, groupBy, timeZone }, context) => {
      const { deps, tenantId } = inTenant(context);
      const { workflowId, triggerType } = filter;
      const range = readRange({ filter, interval, timeZone });
      const given = { triggerType, workflowId: workflowId == null ? null : readId('Workflow', workflowId) };
      const grouping = groupBy ?? null;
      const series = await readRunStatistics(deps.database, tenantId, given, range, grouping);
      return series.map((one) => ({ ...one, grouping }));
    },
  }),
);
