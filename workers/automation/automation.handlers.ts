import { executeRunJob } from '#src/automation/runs/runs.declarations.ts';
import { scheduleTickJob } from '#src/automation/schedules/schedules.declarations.ts';
import { buildWorkflow } from '#src/automation/workflows/bundles.service.ts';
import { buildWorkflowJob, stopWorkflowRunsJob } from '#src/automation/workflows/workflows.declarations.ts';
import { handle, type JobHandler } from '#src/infra/job-handler.ts';
import { stopWorkflowRuns } from './workflow-stop.worker.ts';

/** Queues that no handler reads: the engine claims runs and the scheduler ticks, many at a time. */
export const claimedElsewhere = [executeRunJob, scheduleTickJob];

export const automationHandlers: readonly JobHandler[] = [
  handle(buildWorkflowJob, ({ automation }, workflow) => buildWorkflow(automation, workflow)),
  handle(stopWorkflowRunsJob, ({ automation }, workflow) => stopWorkflowRuns(automation, workflow)),
];
