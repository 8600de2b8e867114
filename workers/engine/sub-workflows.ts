import { maxDepth } from '#src/automation/runs/error-workflows.service.ts';
import { insertRuns } from '#src/automation/runs/run-creation.service.ts';
import { findStartable } from '#src/automation/runs/run-creation.store.ts';
import type { RunQueue } from '#src/automation/runs/run-queue.service.ts';
import { requireBundle, workflowInactive } from '#src/automation/runs/runnable.rules.ts';
import { type Deps, systemActor } from '#src/infra/deps.ts';
import { AppError, ConflictError, NotFoundError } from '#src/infra/errors.ts';
import type { Cause } from '#src/infra/tracing/cause.ts';
import type { ClaimedRun } from './claim-runs.ts';
import type { StepRecord } from './statements/step-log.ts';
import { holdLease, recordSteps, RunNotHeldError, type WorkerAt } from './write-step-log.ts';

/**
 * Starts a run of another workflow of the tenant and records the step in the same transaction, so that a crash neither
 * loses the run nor starts it twice. With `wait` the step waits until the new run ends and resolves it.
 */
export async function startSubWorkflow(
  deps: Pick<Deps, 'database'> & RunQueue,
  { workerId, server }: WorkerAt,
  parent: ClaimedRun,
  request: { workflowId: number; payload: unknown; wait: boolean; step: StepRecord; cause: Cause },
): Promise<{ runId: number }> {
  const { tenantId, orgId } = parent;
  if (parent.depth + 1 >= maxDepth) {
    throw new AppError('UNPROCESSABLE', `Workflows start one another at most ${maxDepth} deep; is there a circle?`);
  }
  return deps.database.withSystem(async (client) => {
    await holdLease(client, workerId, server);
    const target = await findStartable(client, tenantId, request.workflowId);
    if (!target) throw new NotFoundError(`Workflow ${request.workflowId} is not there.`);
    if (!target.active) throw new ConflictError(workflowInactive);
    const bundleId = requireBundle(target);
    const [made] = await insertRuns(client, deps, [
      {
        actor: systemActor(orgId, tenantId, 'system', request.cause),
        workflowId: request.workflowId,
        bundleId,
        revision: target.revision,
        triggerId: target.trigger_id,
        triggerHandle: target.handle,
        triggerType: 'manual',
        payload: request.payload,
        concurrency: parent.isTest ? null : target.concurrency,
        isTest: parent.isTest,
        depth: parent.depth + 1,
        rootRunId: parent.rootRunId ?? parent.id,
        ...(request.wait && { parent: { runId: parent.id, stepPath: request.step.path } }),
      },
    ]);
    const runId = made?.runId as number;
    const step: StepRecord = request.wait
      ? { ...request.step, status: 'waiting', waitingFor: `run:${runId}` }
      : {
          ...request.step,
          status: 'succeeded',
          branch: 'default',
          outputs: JSON.stringify({ run_id: runId, result: null }),
          completedAt: new Date(),
        };
    const recorded = await recordSteps(client, workerId, [{ ...step, claim: parent.claim }]);
    if (recorded.length === 0) throw new RunNotHeldError();
    return { runId };
  });
}
