import type { RunDeps } from '#src/automation/runs/live/live-runs.service.ts';
import { enqueue } from '#src/automation/runs/run-creation.service.ts';
import { notifyRuns } from '#src/automation/runs/run-notices.service.ts';
import { executeRunJob } from '#src/automation/runs/runs.jobs.ts';
import type { SystemTx } from '#src/infra/postgres/database.ts';
import { tryLockNamed } from '#src/infra/postgres/named-locks.ts';
import { finishRuns } from './run-finishing.service.ts';
import {
  deleteDeadWorkers,
  deleteWorker,
  findUnknownWorkers,
  releaseRunsOf,
  touchRunsWithoutJob,
} from './run-leases.store.ts';

/** A run that was held by so many workers in a row that died, and got no step further, is what kills them. */
export const maxTakeovers = 10;

const tooManyTakeovers =
  `The worker that held the run was lost ${maxTakeovers} times in a row before a step was recorded, so it is not tried again. ` +
  'A step may need more memory or time than a worker has: look at the logs of the workers, then retry the run or rerun it.';

interface Release {
  /** The workers were lost with the runs in hand, which counts against these; else they are handed back. */
  lost: boolean;
  /** Runs to leave alone. */
  except?: number[];
}

/** Puts runs of workers back into the queue, those of ones that died or of one that leaves. Answers how many. */
async function release(
  deps: RunDeps,
  workerIds: string[],
  client: SystemTx,
  { lost, except = [] }: Release,
): Promise<number> {
  if (workerIds.length === 0) return 0;
  const rows = await releaseRunsOf(client, workerIds, { lost, except });
  const isSpent = ({ takeovers }: { takeovers: number }) => lost && takeovers >= maxTakeovers;
  const again = rows.filter((row) => !isSpent(row));
  await enqueue(
    client,
    deps,
    again.map((row) => ({ tenantId: row.tenant_id, runId: row.id })),
  );
  notifyRuns(client, again);
  await finishRuns(
    client,
    deps,
    null,
    rows.filter(isSpent).map(({ tenant_id: tenantId, id: runId }) => ({
      tenantId,
      runId,
      status: 'failed',
      error: tooManyTakeovers,
      result: null,
    })),
  );
  return rows.length;
}

/** Ends a worker's identity and puts its unfinished runs back: those of one that leaves or, where it was `lost`, gives up. */
export async function retireWorker(deps: RunDeps, workerId: string, { lost }: Pick<Release, 'lost'>): Promise<void> {
  await deps.database.withSystem(async (client) => {
    await deleteWorker(client, workerId);
    await release(deps, [workerId], client, { lost });
  });
}

/**
 * Puts back what the database says the worker holds and the worker does not know of: a claim whose commit was made but whose
 * answer was lost. Call it between claims, with the ids of all runs under way.
 */
export const releaseUnknownRuns = (deps: RunDeps, workerId: string, underWay: number[]): Promise<number> =>
  deps.database.withSystem((client) => release(deps, [workerId], client, { lost: false, except: underWay }));

/**
 * Makes true again what should be: runs of dead workers go back to the queue, and runs that should have a job but have none
 * (a queue emptied by hand, a job that failed for good) get one. Safe to run anywhere, any time; one process does it at once.
 */
export async function reconcileRuns(deps: RunDeps): Promise<{ dead: number; recovered: number; requeued: number }> {
  return deps.database.withSystem(async (client) => {
    const idle = { dead: 0, recovered: 0, requeued: 0 };
    if (!(await tryLockNamed(client, 'reconcile'))) return idle;
    const dead = await deleteDeadWorkers(client);
    const recovered = await release(deps, dead, client, { lost: true });
    const orphans = await touchRunsWithoutJob(client, executeRunJob.name);
    const lost = await findUnknownWorkers(client);
    const abandoned = await release(deps, lost, client, { lost: true });
    await enqueue(
      client,
      deps,
      orphans.map((row) => ({ tenantId: row.tenant_id, runId: row.id })),
    );
    return { dead: dead.length, recovered: recovered + abandoned, requeued: orphans.length };
  });
}
