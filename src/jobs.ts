import { executeRunJob } from './automation/runs/runs.jobs.ts';
import { scheduleTickJob } from './automation/schedules/schedules.jobs.ts';
import { buildWorkflowJob, stopWorkflowRunsJob } from './automation/workflows/workflows.jobs.ts';

/** Every queue the database is given. A test holds this against the handlers in workers/. */
export const jobs = [buildWorkflowJob, stopWorkflowRunsJob, executeRunJob, scheduleTickJob];
