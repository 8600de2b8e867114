import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { RunDeps } from '#src/automation/runs/live/live-runs.service.ts';
import { enqueue } from '#src/automation/runs/run-creation.service.ts';
import { type NoticeRow, noticeColumns, notifyRuns } from '#src/automation/runs/run-notices.service.ts';
import type { Deps } from '#src/infra/deps.ts';
import type { SystemTx } from '#src/infra/postgres/database.ts';
import { tryLockNamed } from '#src/infra/postgres/named-locks.ts';
import { finishRuns } from './run-finishing.service.ts';

/** Registers a worker and answers its id. Its lease is good for `leaseMs` from now, by the database's clock. */
export async function registerWorker({ database }: Deps, leaseMs: number): Promise<string> {
  const id = randomUUID();
  await database.system.query(
    `INSERT INTO workers (id, host, pid, lease_until) VALUES ($1, $2, $3, clock_timestamp() + $4 * interval '1 ms')`,
    [id, hostname(), process.pid, leaseMs],
  );
  return id;
}

/** Whether a process of this host holds the lease of a worker. */
export async function isWorkerLive({ database }: Deps, pid: number): Promise<boolean> {
  const { rowCount } = await database.system.query(
    'SELECT FROM workers WHERE host = $1 AND pid = $2 AND lease_until > clock_timestamp() LIMIT 1',
    [hostname(), pid],
  );
  return rowCount === 1;
}

/**
 * Extends the lease. Answers false when the worker has been declared dead, or when its lease has run out and is not to be
 * revived; it must then give up everything it holds.
 */
export async function renewLease(
  { database }: Deps,
  workerId: string,
  leaseMs: number,
  { revive }: { revive: boolean },
): Promise<boolean> {
  const { rowCount } = await database.system.query({
    name: 'renew-lease',
    text: `UPDATE workers SET lease_until = clock_timestamp() + $2 * interval '1 ms'
      WHERE id = $1 AND (lease_until > clock_timestamp() OR $3)`,
    values: [workerId, leaseMs, revive],
  });
  return rowCount === 1;
}

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
  // While a run is held, its row was last changed as it was claimed.
  const { rows } = await client.query<NoticeRow & { takeovers: number }>(
    `UPDATE runs r SET status = 'queued', worker_id = NULL, version = r.version + 1, updated_at = clock_timestamp(),
       takeovers = CASE WHEN NOT $3 THEN r.takeovers WHEN EXISTS (
         SELECT FROM steps s WHERE s.tenant_id = r.tenant_id AND s.run_id = r.id AND s.completed_at >= r.updated_at
       ) THEN 1 ELSE r.takeovers + 1 END
     WHERE r.worker_id = ANY($1::uuid[]) AND r.status = 'running' AND r.id <> ALL($2::bigint[])
     RETURNING ${noticeColumns}, r.takeovers`,
    [workerIds, except, lost],
  );
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
    await client.query('DELETE FROM workers WHERE id = $1', [workerId]);
    await release(deps, [workerId], client, { lost });
  });
}

/**
 * Puts back what the database says the worker holds and the worker does not know of: a claim whose commit was made but whose
 * answer was lost. Call it between claims, with the ids of all runs under way.
 */
export const releaseUnknownRuns = (deps: RunDeps, workerId: string, underWay: number[]): Promise<number> =>
  deps.database.withSystem((client) => release(deps, [workerId], client, { lost: false, except: underWay }));

/** How long workers have, after the server has started, to say that they are alive: nobody could while it was away. */
const graceAfterStart = '3 seconds';
const staleAfter = '20 seconds';
const batch = 500;

/**
 * Makes true again what should be: runs of dead workers go back to the queue, and runs that should have a job but have none
 * (a queue emptied by hand, a job that failed for good) get one. Safe to run anywhere, any time; one process does it at once.
 */
export async function reconcileRuns(deps: RunDeps): Promise<{ dead: number; recovered: number; requeued: number }> {
  return deps.database.withSystem(async (client) => {
    const idle = { dead: 0, recovered: 0, requeued: 0 };
    if (!(await tryLockNamed(client, 'reconcile'))) return idle;
    // A commit under way holds its worker's row; once the row is deleted the worker can commit nothing. One that was paused in
    // the middle of a commit is passed over, so that it does not keep the others' runs waiting, until Postgres ends its session.
    const { rows: dead } = await client.query<{ id: string }>(
      `DELETE FROM workers WHERE id IN (
         SELECT id FROM workers WHERE lease_until < clock_timestamp()
           AND pg_postmaster_start_time() < clock_timestamp() - interval '${graceAfterStart}' FOR UPDATE SKIP LOCKED
       ) RETURNING id`,
    );
    const recovered = await release(
      deps,
      dead.map(({ id }) => id),
      client,
      { lost: true },
    );
    const { rows: orphans } = await client.query<{ tenant_id: string; id: number }>(
      `UPDATE runs r SET updated_at = clock_timestamp() WHERE (tenant_id, id) IN (
         SELECT tenant_id, id FROM runs WHERE NOT held AND updated_at < clock_timestamp() - interval '${staleAfter}'
           AND (status = 'queued' OR (status = 'waiting' AND wake_at < clock_timestamp() - interval '${staleAfter}'))
           AND NOT EXISTS (SELECT FROM pgboss.job j WHERE j.name = 'automation.run.execute' AND j.state < 'active'
             AND j.data = jsonb_build_object('runId', runs.id, 'tenantId', runs.tenant_id))
         ORDER BY id LIMIT ${batch} FOR NO KEY UPDATE SKIP LOCKED
       ) RETURNING tenant_id, id`,
    );
    // A run whose worker is gone without a lease to expire (its row deleted by hand) is held by nobody.
    const { rows: lost } = await client.query<{ worker_id: string }>(
      `SELECT DISTINCT worker_id FROM runs r WHERE status = 'running' AND updated_at < clock_timestamp() - interval '${staleAfter}'
         AND NOT EXISTS (SELECT FROM workers w WHERE w.id = r.worker_id) LIMIT ${batch}`,
    );
    const abandoned = await release(
      deps,
      lost.map(({ worker_id }) => worker_id),
      client,
      { lost: true },
    );
    await enqueue(
      client,
      deps,
      orphans.map((row) => ({ tenantId: row.tenant_id, runId: row.id })),
    );
    return { dead: dead.length, recovered: recovered + abandoned, requeued: orphans.length };
  });
}
