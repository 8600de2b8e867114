import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { createFieldLoader } from '#src/graphql/fast/field-loader.ts';
import { RunStatus } from './runs.graphql.ts';
import { findRuns } from './runs.reads.ts';

const lastRuns = createFieldLoader((context, ids: number[], _asked: undefined) =>
  findRuns(context.deps.database, inTenant(context).tenantId, ids),
);

builder.prismaObjectFields('Schedule', (t) => ({
  lastRun: t.field({
    type: 'Run',
    description: 'The run it started last; null when there was none or it is no longer kept.',
    nullable: true,
    select: { lastRunId: true },
    resolve: ({ lastRunId: id }, _args, context, info) =>
      id === null ? null : lastRuns(context, info, Number(id), undefined),
  }),
  lastRunStatus: t.field({
    type: RunStatus,
    nullable: true,
    description: 'Of the last run; null when there was none or it is no longer kept.',
    select: { lastRunId: true },
    resolve: async ({ lastRunId: id }, _args, context, info) =>
      id === null ? null : (await lastRuns(context, info, Number(id), undefined))?.status,
  }),
}));
