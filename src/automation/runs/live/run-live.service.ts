import type { LogLine, StepRow } from '#src/automation/runs/run-details.reads.ts';
import { NotFoundError } from '#src/infra/errors.ts';
import type { OpenLive } from '#src/infra/live/live-stream.ts';
import type { RunDeps } from './live-runs.service.ts';
import type { RunChange } from './run-feed.service.ts';
import { watchRunLog } from './watch-run-log.service.ts';
import { watchRun } from './watch-run.service.ts';
import { watchRuns } from './watch-runs.service.ts';
import { watchSteps } from './watch-steps.service.ts';

/**
 * One run, a workflow's runs or a tenant's; one run also with each change of its steps, where `withSteps`. NotFoundError for what the
 * tenant does not have.
 */
export async function openRuns(
  deps: RunDeps,
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

/** The log of a run of the tenant's; NotFoundError for any other. */
export async function openRunLog(deps: RunDeps, tenantId: string, id: bigint): Promise<OpenLive<LogLine>> {
  const { runId } = await findRun(deps, tenantId, id);
  return watchRunLog(deps, tenantId, runId);
}

/** The steps of a run of the tenant's; NotFoundError for any other. */
export async function openSteps(deps: RunDeps, tenantId: string, id: bigint): Promise<OpenLive<StepRow>> {
  const { runId } = await findRun(deps, tenantId, id);
  return watchSteps(deps, tenantId, runId);
}

async function findRun(deps: RunDeps, tenantId: string, id: bigint): Promise<RunChange> {
  // Beyond 2^53 there is no run, and a number would name another.
  const run = id <= Number.MAX_SAFE_INTEGER ? await deps.liveRuns.feed.read(tenantId, Number(id)) : undefined;
  if (!run) throw new NotFoundError();
  return run;
}
