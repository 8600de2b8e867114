import { stopRuns } from '#src/automation/runs/engine/run-stopping.service.ts';
import type { RunDeps } from '#src/automation/runs/live/live-runs.service.ts';
import { stopWorkflowRunsJob } from '#src/automation/workflows/workflows.declarations.ts';

const passesPerJob = 100;

/** Stops the runs of a deleted workflow, in batches. A job that has done its share leaves the rest to a new job. */
export async function stopWorkflowRuns(deps: RunDeps, job: { tenantId: string; workflowId: number }): Promise<void> {
  for (let pass = 0; pass < passesPerJob; pass += 1) {
    if (!(await stopRuns(deps, job))) return;
  }
  await deps.jobs.send(stopWorkflowRunsJob, job);
}
