import { stopRuns } from '#src/automation/runs/engine/run-stopping.service.ts';
import { stopWorkflowRunsJob } from '#src/automation/workflows/workflows.jobs.ts';
import type { Deps } from '#src/infra/deps.ts';

const passesAJob = 100;

/** Stops the runs of a workflow that was deleted. What one job does not get done in its time goes on in another. */
export async function stopWorkflowRuns(deps: Deps, job: { tenantId: string; workflowId: number }): Promise<void> {
  for (let pass = 0; pass < passesAJob; pass += 1) {
    if (!(await stopRuns(deps, job))) return;
  }
  await deps.jobs.send(stopWorkflowRunsJob, job);
}
