import type { Jobs } from '#src/infra/jobs.ts';
import { lockNamed } from '#src/infra/postgres/named-locks.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import { releaseHeld } from './run-creation.store.ts';
import { executeRunJob } from './runs.declarations.ts';

/**
 * Fair queueing between tenants by virtual time (start-time fair queueing). A tenant's new runs are stamped one after
 * another at its fair rate, and pg-boss serves the earliest stamp first. A tenant that has nothing waiting begins just
 * before the run that is served next, however old that one's stamp is: so a backlog of thousands, however slowly it is
 * worked off, keeps another tenant's single run waiting for a handful of runs. Each process keeps its own stamps:
 * fairness is approximate across processes, and nothing but the order depends on it.
 */
const runsPerSecond = 500;
/** Stamps count tenths of a second from here; pg-boss's priority is a 32-bit integer, which lasts until the year 2094. */
const epoch = Date.UTC(2026, 0, 1);
const tickMs = 100;
const rememberedLanes = 20_000;
/** How long the head of the queue is cached. */
const headMs = 100;

export interface Fairness {
  /** The priority of a tenant's next new run: the higher, the sooner. */
  next(tenantId: string): number;
  /** The priority of a run that was already started and continues, now or when it is due: before the tenant's new ones. */
  again(tenantId: string, dueAt?: Date): number;
}

const toPriority = (stamp: number): number => -Math.floor((stamp - epoch) / tickMs);
const toStamp = (priority: number): number => epoch - priority * tickMs;

/** The stamps of one process. `head` is the stamp of the run that is served next, or now. */
export class Stamps {
  readonly #next = new Map<string, number>();
  #head = Number.POSITIVE_INFINITY;
  #readAt = Number.NEGATIVE_INFINITY;

  async read(client: Tx): Promise<Fairness> {
    if (performance.now() - this.#readAt > headMs) {
      // Set before the read, so that concurrent callers use the previous value.
      this.#readAt = performance.now();
      const { rows } = await client.query<{ priority: number }>({
        name: 'queue-head',
        text: `SELECT priority FROM pgboss.job WHERE name = '${executeRunJob.name}' AND state < 'active' AND NOT blocked
          AND start_after <= now() ORDER BY priority DESC, created_on LIMIT 1`,
      });
      this.#head = rows[0] ? toStamp(rows[0].priority) : Number.POSITIVE_INFINITY;
    }
    return this.at(Math.min(this.#head, Date.now()));
  }

  at(head: number): Fairness {
    return {
      next: (tenantId) => toPriority(this.#stamp(`new/${tenantId}`, head - tickMs)),
      // A job that is not due yet gets the place it will have then, so that fetches do not have to skip it.
      again: (tenantId, dueAt) =>
        toPriority(
          dueAt ? Math.max(head, dueAt.getTime()) - 2 * tickMs : this.#stamp(`again/${tenantId}`, head - 2 * tickMs),
        ),
    };
  }

  #stamp(lane: string, earliest: number): number {
    const stamp = Math.max(earliest, this.#next.get(lane) ?? 0);
    if (this.#next.size >= rememberedLanes) this.#next.clear();
    this.#next.set(lane, stamp + 1_000 / runsPerSecond);
    return stamp;
  }
}

/** The dependencies of use cases that queue runs for the engines. */
export interface RunQueue {
  jobs: Jobs;
  /** The order in which this process queues the runs of tenants. */
  fairness: Stamps;
}

/**
 * Queues the runs for the engines and wakes them when the transaction commits. New runs are queued fairly between tenants;
 * runs that were already started come before their tenant's new ones.
 */
export async function enqueue(
  client: Tx,
  { jobs, fairness: stamps }: RunQueue,
  runs: { tenantId: string; runId: number; startAfter?: Date }[],
  { areNew = false }: { areNew?: boolean } = {},
): Promise<void> {
  if (runs.length === 0) return;
  const fairness = await stamps.read(client);
  await jobs.insert(
    executeRunJob,
    runs.map(({ tenantId, runId, startAfter }) => ({
      payload: { tenantId, runId },
      priority: areNew ? fairness.next(tenantId) : fairness.again(tenantId, startAfter),
      group: tenantId,
      ...(startAfter && { startAfter }),
    })),
    { tx: client },
  );
}

/**
 * Queues held runs of a workflow, oldest first, up to its limit. Call it in every transaction that adds a run to a
 * limited workflow or ends one. A lock per workflow keeps two workers from queueing the same run.
 */
export async function dispatchHeld(client: Tx, deps: RunQueue, tenantId: string, workflowId: number): Promise<void> {
  await lockNamed(client, `dispatch/${tenantId}/${workflowId}`);
  const released = await releaseHeld(client, tenantId, workflowId);
  await enqueue(
    client,
    deps,
    released.map((runId) => ({ tenantId, runId })),
    { areNew: true },
  );
}
