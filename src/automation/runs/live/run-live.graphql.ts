import { LogLineRef } from '#src/automation/runs/run-details.graphql.ts';
import type { LogLine } from '#src/automation/runs/run-details.reads.ts';
import { RunRef } from '#src/automation/runs/runs.graphql.ts';
import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { readId } from '#src/infra/inputs.ts';
import { LiveStream } from '#src/infra/live/live-stream.ts';
import type { RunChange } from './run-feed.service.ts';
import { openRunLog, openRuns } from './run-live.service.ts';

builder.subscriptionFields((t) => ({
  runUpdated: t.field({
    type: RunRef,
    authScopes: { member: true },
    description: `With \`id\`: the run as it is now, then every change of it, and the end with its terminal state. With \`workflowId\`:
the workflow's live runs, then every change of its runs. With neither: changes of all the tenant's runs from now on. A run's
changes come in order; a reader that falls behind gets the latest only.`,
    args: { id: t.arg.id(), workflowId: t.arg.id() },
    subscribe: async (_root, { id, workflowId }, context) =>
      new LiveStream(
        await openRuns(context.deps, inTenant(context).tenantId, {
          runId: id == null ? null : readId('Run', id),
          workflowId: workflowId == null ? null : readId('Workflow', workflowId),
        }),
      ),
    resolve: (change: RunChange) => change.row(),
  }),
  runLog: t.field({
    type: LogLineRef,
    authScopes: { member: true },
    description: 'The lines a run has logged, then new ones as they are stored, and the end when the run has ended.',
    args: { id: t.arg.id({ required: true }) },
    subscribe: async (_root, { id }, context) =>
      new LiveStream(await openRunLog(context.deps, inTenant(context).tenantId, readId('Run', id))),
    resolve: (line: LogLine) => line,
  }),
}));
