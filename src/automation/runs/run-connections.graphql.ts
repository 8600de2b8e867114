import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { createFieldLoader } from '#src/graphql/fast/field-loader.ts';
import { offsetArg, pageByKey } from '#src/graphql/paging/connections.ts';
import { readId } from '#src/infra/inputs.ts';
import { countRuns, listRuns, runCursors } from './run-lists.reads.ts';
import { RunConnection, RunRef, RunStatus } from './runs.graphql.ts';
import { findRuns } from './runs.reads.ts';

const newestFirst = { field: 'CREATED_AT', direction: 'DESC' } as const;

builder.prismaObjectFields('Workflow', (t) => ({
  run: t.field({
    type: RunRef,
    nullable: true,
    description: 'One of its runs.',
    args: { id: t.arg.id({ required: true }) },
    resolve: async (workflow, { id }, context) => {
      const { deps, tenantId } = inTenant(context);
      const runId = readId('Run', id);
      const run = (await findRuns(deps.database, tenantId, [runId])).get(Number(runId));
      return run?.workflowId === Number(workflow.id) ? run : null;
    },
  }),
  runs: t.connection(
    {
      type: RunRef,
      description: 'Its runs, newest first.',
      args: {
        offset: t.arg.int(offsetArg),
      },
      resolve: (workflow, page, context) => {
        const { deps, tenantId } = inTenant(context);
        const filter = { workflowId: workflow.id };
        return pageByKey(
          page,
          runCursors(newestFirst),
          (keys) => listRuns(deps.database, tenantId, filter, newestFirst, keys),
          (most) => countRuns(deps.database, tenantId, filter, most),
        );
      },
    },
    RunConnection,
  ),
}));

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
