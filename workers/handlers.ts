import { executeRunJob } from '#src/automation/runs/runs.jobs.ts';
import { scheduleTickJob } from '#src/automation/schedules/schedules.jobs.ts';
import { buildWorkflow } from '#src/automation/workflows/bundles.service.ts';
import { buildWorkflowJob, stopWorkflowRunsJob } from '#src/automation/workflows/workflows.jobs.ts';
import { stopWorkflowRuns } from './automation/workflow-stop.worker.ts';
import { handle, type JobHandler } from './register.ts';

/** Queues that are read by something else than a handler: the engine claims runs and the scheduler ticks, many at a time. */
export const claimedElsewhere = [executeRunJob, scheduleTickJob];

/** Every other job of the domains has its handler here. */
export const handlers: readonly JobHandler[] = [
  handle(buildWorkflowJob, ({ automation }, workflow) => buildWorkflow(automation, workflow)),
  handle(stopWorkflowRunsJob, ({ automation }, workflow) => stopWorkflowRuns(automation, workflow)),
];
