import { findNotHeld, type HeldRun, type NotHeld } from '#src/automation/runs/held-runs.store.ts';
import { logFailedRun, finishRuns } from '#src/automation/runs/run-finishing.service.ts';
import { notifyRuns } from '#src/automation/runs/run-notices.service.ts';
import type { RunQueue } from '#src/automation/runs/run-queue.service.ts';
import { enqueue } from '#src/automation/runs/run-queue.service.ts';
import { executeRunJob } from '#src/automation/runs/runs.declarations.ts';
import type { Deps } from '#src/infra/deps.ts';
import { observations } from '#src/infra/observations/observations.ts';
import type { SystemTx } from '#src/infra/postgres/database.ts';
import { tryLockNamed } from '#src/infra/postgres/named-locks.ts';
import { awaitAll } from '#src/infra/postgres/tx.ts';
import {
  deleteDeadWorkers,
  deleteWorker,
  findUnknownWorkers,
  readServer,
  releaseWorkerRuns,
  touchRunsWithoutJob,
} from './statements/run-leases.ts';

/**
 * A run is failed after this many workers in a row have died while holding it, without recording a step: it probably
 * kills them.
 */
export const maxTakeovers = 10;

const tooManyTakeovers =
  `The worker that held the run was lost ${maxTakeovers} times in a row before a step was recorded, so it is not tried again. ` +
  'A step may need more memory or time than a worker has: look at the logs of the workers, then retry the run or rerun it.';

interface Release {
  /** True when the workers died while holding the runs, which counts against the runs; false when they released them. */
  lost: boolean;
  /** Ids of runs to leave unchanged. */
  except?: number[];
}

/** Puts the runs of workers that died, or of one that shuts down, back into the queue. Returns how many. */
async function release(
  deps: Pick<Deps, 'log'> & RunQueue,
  workerIds: string[],
  client: SystemTx,
  { lost, except = [] }: Release,
): Promise<number> {
  if (workerIds.length === 0) return 0;
  const rows = await releaseWorkerRuns(client, workerIds, { lost, except });
  const isSpent = ({ takeovers }: { takeovers: number }) => lost && takeovers >= maxTakeovers;
  const again = rows.filter((row) => !isSpent(row));
  if (lost && rows.length > 0) observations.runsTakenOver.tell({ count: rows.length });
  await enqueue(
    client,
    deps,
    again.map((row) => ({ tenantId: row.tenant_id, runId: row.id })),
  );
  notifyRuns(client, again);
  const spent = rows.filter(isSpent);
  await finishRuns(
    client,
    deps,
    null,
    spent.map(({ tenant_id: tenantId, id: runId }) => ({
      tenantId,
      runId,
      status: 'failed',
      error: tooManyTakeovers,
      result: null,
      failure: { node: null, code: 'TOO_MANY_TAKEOVERS', message: tooManyTakeovers },
    })),
  );
  for (const { tenant_id: tenantId, workflow_id: workflowId, id } of spent)
    logFailedRun(deps.log, { tenantId, workflowId, id }, { step: null, code: 'TOO_MANY_TAKEOVERS' });
  return rows.length;
}

/** Removes a worker and puts its unfinished runs back into the queue. `lost` as in `Release`. */
export async function retireWorker(
  deps: Pick<Deps, 'database' | 'log'> & RunQueue,
  workerId: string,
  { lost }: Pick<Release, 'lost'>,
): Promise<void> {
  await deps.database.withSystem(async (client) => {
    await deleteWorker(client, workerId);
    await release(deps, [workerId], client, { lost });
  });
}

/** Compares the runs that a worker has under way with those in the database, and returns the server that answered. */
export const compareHeldRuns = (
  deps: Pick<Deps, 'database'> & RunQueue,
  workerId: string,
  runs: readonly HeldRun[],
): Promise<{ server: string; notHeld: NotHeld[] }> =>
  deps.database.withSystem(async (client) => {
    const [server, notHeld] = await awaitAll([readServer(client), findNotHeld(client, workerId, runs)]);
    return { server, notHeld };
  });

/**
 * Releases runs that the worker holds according to the database but does not know of: their claim was committed, but
 * its response was lost, or the worker ended them in a commit that a failover has lost. Call it between claims, with the ids of all
 * runs in progress.
 */
export const releaseUnknownRuns = (
  deps: Pick<Deps, 'database' | 'log'> & RunQueue,
  workerId: string,
  underWay: number[],
): Promise<number> =>
  deps.database.withSystem((client) => release(deps, [workerId], client, { lost: false, except: underWay }));

/**
 * Repairs runs: those of dead workers go back to the queue, and those without the job they should have (the queue was emptied
 * by hand, a job failed permanently) get one. Safe to run in any worker at any time. Only one worker runs it at a time, and it never
 * treats itself as dead: after an outage its own lease may have expired before it could be renewed.
 */
export async function reconcileRuns(
  deps: Pick<Deps, 'database' | 'log'> & RunQueue,
  workerId: string,
): Promise<{ dead: number; recovered: number; requeued: number }> {
  return deps.database.withSystem(async (client) => {
    const idle = { dead: 0, recovered: 0, requeued: 0 };
    if (!(await tryLockNamed(client, 'reconcile'))) return idle;
    const dead = await deleteDeadWorkers(client, workerId);
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
