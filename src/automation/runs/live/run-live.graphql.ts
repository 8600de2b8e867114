import { LogLineRef, StepRef } from '#src/automation/runs/run-details.graphql.ts';
import type { LogLine, StepRow } from '#src/automation/runs/run-details.reads.ts';
import { RunRef } from '#src/automation/runs/runs.graphql.ts';
import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { selects } from '#src/graphql/selects.ts';
import { readId } from '#src/infra/inputs.ts';
import { LiveStream } from '#src/infra/live/live-stream.ts';
import type { RunChange } from './run-feed.service.ts';
import { openRunLog, openRuns, openSteps } from './run-live.service.ts';
import type { StepChange } from './watch-steps.service.ts';

builder.subscriptionFields((t) => ({
  runUpdated: t.field({
    type: RunRef,
    authScopes: { member: true },
    description: `With \`id\`: the run as it is now, then every change of it, and the end with its terminal state. With \`workflowId\`:
the workflow's live runs, then every change of its runs. With neither: changes of all the tenant's runs from now on. A run's
changes come in order; a reader that falls behind gets the latest only. With \`id\` and a selection of \`steps\`, each change of a step is a
change of the run.`,
    args: {
      id: t.arg.id({ description: 'The run to follow.' }),
      workflowId: t.arg.id({ description: 'The workflow whose runs to follow; without effect beside `id`.' }),
    },
    subscribe: async (_root, { id, workflowId }, context, info) =>
      new LiveStream(
        await openRuns(context.automation, inTenant(context).tenantId, {
          runId: id == null ? null : readId('Run', id),
          workflowId: workflowId == null ? null : readId('Workflow', workflowId),
          withSteps: selects(info, 'steps'),
        }),
      ),
    resolve: (change: RunChange) => change.row(),
  }),
  stepUpdated: t.field({
    type: StepRef,
    authScopes: { member: true },
    description: `The steps of a run as they are now, then each change of one, and the end when the run has ended. A step of a few milliseconds
is reported once, with its result.`,
    args: { runId: t.arg.id({ description: 'The run to follow.', required: true }) },
    subscribe: async (_root, { runId }, context) =>
      new LiveStream(await openSteps(context.automation, inTenant(context).tenantId, readId('Run', runId))),
    resolve: ({ supersedes: _supersedes, ...step }: StepChange): StepRow => step,
  }),
  runLog: t.field({
    type: LogLineRef,
    authScopes: { member: true },
    description: 'The lines a run has logged, then new ones as they are stored, and the end when the run has ended.',
    args: { id: t.arg.id({ description: 'The run to follow.', required: true }) },
    subscribe: async (_root, { id }, context) =>
      new LiveStream(await openRunLog(context.automation, inTenant(context).tenantId, readId('Run', id))),
    resolve: (line: LogLine) => line,
  }),
}));
