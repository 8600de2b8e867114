import { buildWorkflowJob } from '#src/automation/workflows/workflows.jobs.ts';
import { buildWorkflowRevision } from './automation/workflows/workflow-build.worker.ts';
import { handle, type JobHandler } from './register.ts';

/** Every job of src/jobs.ts has one handler: here, or in the engine, which takes runs from their queue itself. */
export const handlers: readonly JobHandler[] = [handle(buildWorkflowJob, buildWorkflowRevision)];
