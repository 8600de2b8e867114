import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Deps } from '#src/infra/deps.ts';
import type { Readiness } from '#src/infra/http/readiness.ts';

/** The timeout for the database, so that a readiness probe gets a response in time. */
const answerMs = 1_000;

/** Checks what a started process needs: a database and files that accept writes and, if it should have one, a live worker. */
export async function checkReadiness(options: {
  ending: AbortSignal;
  isStarted: boolean;
  databaseTakesWrites: () => Promise<boolean>;
  alarm: () => Readiness['alarm'];
  /** True unless a write has failed for lack of disk space, in the database or in files. */
  hasRoom: () => Promise<boolean>;
  bucketIsReachable: () => Promise<boolean>;
  /** True if the worker holds a lease; absent when the process has no worker. */
  workerIsLive?: () => Promise<boolean>;
}): Promise<Readiness> {
  const { ending, isStarted, databaseTakesWrites, hasRoom, bucketIsReachable, workerIsLive } = options;
  const alarm = options.alarm();
  if (ending.aborted) return { status: 'stopping' };
  if (!isStarted) return { status: 'starting' };
  if (alarm) return { status: 'unavailable', missing: ['database'], alarm };
  const reachable = soon(bucketIsReachable());
  if (!(await databaseTakesWrites())) return { status: 'unavailable', missing: ['database'] };
  const [isRoomy, isReachable] = await Promise.all([soon(hasRoom()), reachable]);
  if (!isRoomy || !isReachable)
    return {
      status: 'unavailable',
      missing: [...(isRoomy ? [] : ['disk' as const]), ...(isReachable ? [] : ['bucket' as const])],
    };
  if (workerIsLive && !(await soon(workerIsLive()))) return { status: 'unavailable', missing: ['worker'] };
  return { status: 'ready' };
}

const soon = (answer: Promise<boolean>): Promise<boolean> =>
  Promise.race([answer.catch(() => false), delay(answerMs, false, { ref: false })]);

/** True if a process of this host holds the lease of a worker. */
export async function isWorkerLive({ database }: Deps, pid: number): Promise<boolean> {
  const { rowCount } = await database.system.query(
    'SELECT FROM workers WHERE host = $1 AND pid = $2 AND lease_until > clock_timestamp() LIMIT 1',
    [hostname(), pid],
  );
  return rowCount === 1;
}
