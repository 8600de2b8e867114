import type { LogLine } from '#src/automation/runs/logs/run-logs.reads.ts';
import type { StepRow } from '#src/automation/runs/run-details.reads.ts';
import { NotFoundError } from '#src/infra/errors.ts';
import type { OpenLive } from '#src/infra/live/live-stream.ts';
import type { LiveRunDeps } from './live-runs.service.ts';
import type { RunChange } from './run-feed.service.ts';
import { watchRunLog } from './watch-run-log.service.ts';
import { watchRun } from './watch-run.service.ts';
import { watchRuns } from './watch-runs.service.ts';
import { watchSteps } from './watch-steps.service.ts';

/**
 * Changes of one run, of a workflow's runs or of a tenant's. With `withSteps`, a run is also reported at each change of
 * its steps. Throws NotFoundError for a run or workflow that the tenant does not have.
 */
export async function openRuns(
  deps: LiveRunDeps,
  tenantId: string,
  { runId, workflowId, withSteps }: { runId: bigint | null; workflowId: bigint | null; withSteps: boolean },
): Promise<OpenLive<RunChange>> {
  if (runId !== null) {
    const run = await findRun(deps, tenantId, runId);
    if (workflowId !== null && BigInt(run.workflowId) !== workflowId) throw new NotFoundError();
    return watchRun(deps, tenantId, run.runId, { withSteps });
  }
  if (workflowId !== null) {
    const where = { tenantId, id: workflowId, deletedAt: null };
    const workflow = await deps.database.reader(tenantId).workflow.findFirst({ where, select: { id: true } });
    if (!workflow) throw new NotFoundError();
  }
  return watchRuns(deps, tenantId, workflowId === null ? null : Number(workflowId));
}

/** The log of a run of the tenant; throws NotFoundError for any other. */
export async function openRunLog(deps: LiveRunDeps, tenantId: string, id: bigint): Promise<OpenLive<LogLine>> {
  const { runId } = await findRun(deps, tenantId, id);
  return watchRunLog(deps, tenantId, runId);
}

/** The steps of a run of the tenant; throws NotFoundError for any other. */
export async function openSteps(deps: LiveRunDeps, tenantId: string, id: bigint): Promise<OpenLive<StepRow>> {
  const { runId } = await findRun(deps, tenantId, id);
  return watchSteps(deps, tenantId, runId);
}

async function findRun(deps: LiveRunDeps, tenantId: string, id: bigint): Promise<RunChange> {
  // No run has an id above 2^53, and as a number it would be rounded to another id.
  const run = id <= Number.MAX_SAFE_INTEGER ? await deps.liveRuns.feed.read(tenantId, Number(id)) : undefined;
  if (!run) throw new NotFoundError();
  return run;
}
