import { LogLineRef } from '#src/automation/runs/logs/run-logs.graphql.ts';
import type { LogLine } from '#src/automation/runs/logs/run-logs.reads.ts';
import { StepRef } from '#src/automation/runs/run-details.graphql.ts';
import type { StepRow } from '#src/automation/runs/run-details.reads.ts';
import { readRunFilter } from '#src/automation/runs/run-filters.reads.ts';
import { RunFilterInput, RunRef } from '#src/automation/runs/runs.graphql.ts';
import type { RunRow } from '#src/automation/runs/runs.reads.ts';
import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { defineListUpdate } from '#src/graphql/list-updates.ts';
import { selects } from '#src/graphql/selects.ts';
import { NotFoundError, ValidationError } from '#src/infra/errors.ts';
import { readId } from '#src/infra/inputs.ts';
import type { ListEvent } from '#src/infra/live/lists/list-view.ts';
import { LiveStream } from '#src/infra/live/live-stream.ts';
import type { RunChange } from './run-feed.service.ts';
import { openRunLog, openRuns, openSteps } from './run-live.service.ts';
import type { StepChange } from './watch-steps.service.ts';

const RunListUpdate = defineListUpdate(RunRef);

/** A change of a run, or of a list of them. */
type RunEvent = Pick<RunChange | ListEvent<RunRow>, 'row' | 'supersedes'>;

builder.subscriptionFields((t) => ({
  runUpdated: t.field({
    type: RunRef,
    authScopes: { member: true },
    description: `With \`id\`: the run as it is now, then every change of it, and the end with its terminal state. With \`workflowId\`:
the workflow's live runs, then every change of its runs. With neither: changes of all the tenant's runs from now on. A run's
changes come in order; a reader that falls behind gets the latest only. With \`id\` and a selection of its steps or their counts, each change of a
step is a change of the run. With \`filter\`: from now on, changes of the runs within it and of those that leave it; \`runsUpdated\` says which of
them a run is.`,
    args: {
      id: t.arg.id({ description: 'The run to follow.' }),
      workflowId: t.arg.id({ description: 'The workflow whose runs to follow; without effect beside `id`.' }),
      filter: t.arg({
        type: RunFilterInput,
        description: 'Which runs of the tenant to follow, as for `runs`; without `id` and `workflowId`.',
      }),
    },
    subscribe: async (_root, { id, workflowId, filter }, context, info): Promise<LiveStream<RunEvent>> => {
      const { automation } = context;
      const { tenantId } = inTenant(context);
      if (filter && (id != null || workflowId != null))
        throw new ValidationError({ filter: ['Give either a filter, or the id of a run or a workflow.'] });
      if (filter) return new LiveStream(automation.liveRuns.list.followRows(tenantId, readRunFilter(filter)));
      const changes = await openRuns(automation, tenantId, {
        runId: id == null ? null : readId('Run', id),
        workflowId: workflowId == null ? null : readId('Workflow', workflowId),
        withSteps: ['steps', 'stepConnection', 'stepCounts'].some((name) => selects(info, name)),
      });
      return new LiveStream(changes);
    },
    resolve: async (event: RunEvent) => {
      const run = await event.row();
      if (!run) throw new NotFoundError();
      return run;
    },
  }),
  runsUpdated: t.field({
    type: RunListUpdate,
    authScopes: { member: true },
    description:
      'Follows the list of runs: new ones, changes, and runs that no longer match. The first event is `RELOAD`.',
    args: { filter: t.arg({ type: RunFilterInput, description: 'As for `runs`; left out: all runs.' }) },
    subscribe: (_root, { filter }, context) => {
      const { tenantId } = inTenant(context);
      return new LiveStream(context.automation.liveRuns.list.follow(tenantId, readRunFilter(filter ?? undefined)));
    },
    resolve: (event: ListEvent<RunRow>) => event,
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
