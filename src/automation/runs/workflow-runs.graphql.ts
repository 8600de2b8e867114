import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { offsetArg, pageByKey } from '#src/graphql/paging/connections.ts';
import { readId } from '#src/infra/inputs.ts';
import { countRuns, listRuns, runCursors } from './run-lists.reads.ts';
import { RunConnection, RunRef } from './runs.graphql.ts';
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
