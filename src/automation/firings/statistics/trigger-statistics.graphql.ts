import { findRuns } from '#src/automation/runs/runs.reads.ts';
import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { createFieldLoader } from '#src/graphql/fast/field-loader.ts';
import { createRowLoader } from '#src/graphql/fast/row-loader.ts';
import { defineCounts, rangeLimits, readRange, StatsInterval, timeZoneArg } from '#src/graphql/statistics.ts';
import { NotFoundError, ValidationError } from '#src/infra/errors.ts';
import { readId } from '#src/infra/inputs.ts';
import {
  type Firing,
  type FiringCounts,
  maxFirings,
  maxRead,
  readTriggerStatistics,
  type TriggerStatistics,
} from './trigger-statistics.reads.ts';

const { Total, Bucket } = defineCounts<FiringCounts>(
  'TriggerStats',
  'Firings of a trigger that are kept, as their runs stand now, by when they fired.',
  (t) => ({
    total: t.field({
      type: 'Long',
      description: 'All of them.',
      resolve: ({ unfinished, succeeded, failed, cancelled, deadLetters }) =>
        unfinished + succeeded + failed + cancelled + deadLetters,
    }),
    unfinished: t.expose('unfinished', { type: 'Long', description: 'Runs that are queued, running or waiting.' }),
    succeeded: t.expose('succeeded', { type: 'Long', description: 'Runs that ended without a failure.' }),
    failed: t.expose('failed', { type: 'Long', description: 'Runs that failed.' }),
    cancelled: t.expose('cancelled', { type: 'Long', description: 'Runs that somebody, or a deletion, stopped.' }),
    deadLetters: t.expose('deadLetters', { type: 'Long', description: 'Firings that could not start a run.' }),
  }),
);

const loadRun = createFieldLoader((context, ids: number[], _asked: undefined) =>
  findRuns(context.deps.database, inTenant(context).tenantId, ids),
);
const loadLetter = createRowLoader((db, rows) => db.deadLetter.findMany(rows));

const TriggerFiring = builder.objectRef<Firing>('TriggerFiring').implement({
  description: 'A firing of a trigger, with the run that it started or the dead letter that it left.',
  fields: (t) => ({
    firedAt: t.expose('firedAt', { type: 'DateTime', description: 'When it fired.' }),
    run: t.field({
      type: 'Run',
      nullable: true,
      description: 'The run that it started.',
      resolve: ({ runId }, _args, context, info) => (runId === null ? null : loadRun(context, info, runId, undefined)),
    }),
    deadLetter: t.prismaField({
      type: 'DeadLetter',
      nullable: true,
      description: 'What is left of a firing that could not start a run.',
      resolve: async (query, { deadLetterId: id }, _args, context, info) => {
        const asked = { ...query };
        return id === null ? null : await loadLetter(context, info, BigInt(id), asked);
      },
    }),
  }),
});

const TriggerStats = builder.objectRef<TriggerStatistics>('TriggerStats').implement({
  description: 'The firings of a trigger over time.',
  fields: (t) => ({
    total: t.expose('total', { type: Total, description: 'The firings of all buckets.' }),
    buckets: t.expose('buckets', { type: [Bucket], description: 'Every bucket in order, also empty ones.' }),
    countedSince: t.expose('countedSince', {
      type: 'DateTime',
      nullable: true,
      description: `Null: every firing of the range is counted. Otherwise only those since this instant all are: older ones may have been deleted by retention, or be beyond the newest ${maxRead} runs or dead letters of the workflow.`,
    }),
    last: t.expose('last', {
      type: [TriggerFiring],
      description: 'The last firings, newest first, whatever the range.',
    }),
  }),
});

const TriggerStatsFilterInput = builder.inputType('TriggerStatsFilter', {
  description: 'Which firings are counted.',
  fields: (t) => ({
    triggerId: t.id({ required: true, description: 'Of this trigger.' }),
    since: t.field({ type: 'DateTime', required: true, description: 'Fired in the bucket of this instant or later.' }),
    until: t.field({
      type: 'DateTime',
      description: 'Fired before this instant, or in the bucket that contains it; now where it is left out.',
    }),
  }),
});

builder.queryField('triggerStats', (t) =>
  t.field({
    type: TriggerStats,
    authScopes: { member: true },
    complexity: 250,
    description: `Counts the firings of a trigger whose runs and dead letters are kept, and lists the last ones with what became of them. ${rangeLimits}`,
    args: {
      filter: t.arg({ type: TriggerStatsFilterInput, required: true }),
      interval: t.arg({ type: StatsInterval, required: true, description: 'How long each bucket is.' }),
      lastFirings: t.arg.int({
        required: true,
        defaultValue: 10,
        description: `At most this many of the last firings, 0 to ${maxFirings}.`,
      }),
      timeZone: t.arg.string(timeZoneArg),
    },
    resolve: async (_root, args, context) => {
      const { db, deps, tenantId } = inTenant(context);
      const { filter, lastFirings } = args;
      if (lastFirings < 0 || lastFirings > maxFirings)
        throw new ValidationError({ lastFirings: [`Use 0 to ${maxFirings}.`] });
      const range = readRange(args);
      const trigger = await db.trigger.findFirst({
        where: { tenantId, id: readId('Trigger', filter.triggerId) },
        select: { id: true, workflowId: true },
      });
      if (!trigger) throw new NotFoundError();
      return readTriggerStatistics(deps.database, tenantId, trigger, range, lastFirings);
    },
  }),
);
