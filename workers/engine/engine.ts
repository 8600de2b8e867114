import { setTimeout as delay } from 'node:timers/promises';
import type { Automation } from '#src/automation/automation.ts';
import { channels } from '#src/automation/runs/run-notices.service.ts';
import { executeRunJob } from '#src/automation/runs/runs.declarations.ts';
import { every } from '#src/infra/background/every.ts';
import { jobsChannel } from '#src/infra/jobs.ts';
import type { Channel } from '#src/infra/live/pubsub-topic.ts';
import { createRepeatedWarning } from '#src/infra/logs/repeated-warning.ts';
import { createWakeUp } from '#src/infra/timing/wake-up.ts';
import { createBundleCache } from './bundle.ts';
import { createTurnGranter, grantMs } from './grant-turns.ts';
import { reconcileRuns, retireWorker } from './run-leases.ts';
import { isQueueLate } from './statements/run-claims.ts';
import { openWorkerSession, type WorkerSession } from './worker-session.ts';

export interface EngineOptions {
  /** Concurrent runs. */
  concurrency: number;
  /** How long after its last renewal the lease holds, in milliseconds. */
  leaseMs: number;
  /** How long a stop waits for runs under way before they are handed back. */
  drainMs?: number;
  /** No further runs are claimed while it returns true. */
  isHeldBack?: () => boolean;
}

export interface Engine {
  /** Claims no more runs, waits for those under way, and hands back those that do not end in time. */
  stop(): Promise<void>;
  stats(): { workerId: string; active: number };
}

const pollMs = 500;
/** How many runs a claim takes at most; few sizes, because each is a prepared statement. */
const claimSizes = [100, 64, 32, 16, 8, 4, 2, 1];
/** A worker with a backlog waits this long after a run has ended, so that one claim fills the places of many. */
const refillPauseMs = 4;
/** The pause between claims grows with the runs under way, up to 10 ms, so that one claim takes many runs. */
const gatherMs = (active: number): number => Math.min(active / 8, 10);
/**
 * A worker with predecessors claims only when a run has waited this long, which leaves the runs to the predecessors: the commits of
 * one worker hold more than those of two that share its runs. A busy machine commits a firing in 50 ms, and a claim in 50 ms.
 */
const yieldMs = 200;
const reconcileMs = 2_000;
const retryMs = 300;
const defaultDrainMs = 20_000;
/** After an outage, other workers have this long to renew their leases; they retry every `retryMs`. */
const graceMs = 1_000;

const everything = '*';
/** Entries are keys of runs: `tenant/run`. */
const cancelChannel: Channel<string> = {
  name: channels.cancel,
  parse: (raw) => (Array.isArray(raw) ? `${raw[0]}/${raw[1]}` : undefined),
  keys: () => [everything],
};

const warnOfClaim = createRepeatedWarning('Runs could not be claimed; retrying.');
const warnOfCancels = createRepeatedWarning('Requests to cancel runs could not be read.');

/** Starts the engine: it claims runs, drives them, renews its lease, and takes over the runs of workers that died. */
export async function startEngine(deps: Automation, options: EngineOptions): Promise<Engine> {
  const engine = new RunEngine(deps, options);
  await engine.start();
  return engine;
}

class RunEngine implements Engine {
  readonly #deps: Automation;
  readonly #options: EngineOptions;
  readonly #loadBundle: ReturnType<typeof createBundleCache>;
  readonly #wakeUp = createWakeUp();
  readonly #stopping = new AbortController();
  /** Replaced when its lease is lost. */
  #session!: WorkerSession;
  /** True when the last claim left runs in the queue. */
  #hasBacklog = false;
  /** No worker is declared dead before this time: infinite while this worker's own lease cannot be renewed. */
  #graceUntil = 0;
  #unsubscribe: (() => void)[] = [];
  #claiming: Promise<void> | undefined;
  #periodic: { stop(): Promise<void> }[] = [];

  constructor(deps: Automation, options: EngineOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#loadBundle = createBundleCache(deps);
  }

  async start(): Promise<void> {
    this.#session = await this.#openSession();
    this.#subscribe();
    this.#claiming = this.#claimLoop();
    const { log } = this.#deps;
    const renewMs = this.#options.leaseMs / 3;
    this.#periodic = [
      every({
        everyMs: renewMs,
        firstMs: renewMs,
        retryMs: Math.min(renewMs, retryMs),
        work: () => this.#renewLease(),
        log,
        fault: 'The lease could not be renewed; retrying.',
        level: 'warn',
      }),
      // Runs immediately the first time: if every worker died soon after its start, nothing would be reconciled otherwise.
      every({
        everyMs: reconcileMs,
        retryMs,
        work: () => this.#reconcile(),
        log,
        fault: 'Runs could not be reconciled; retrying.',
        level: 'warn',
      }),
      every({
        everyMs: grantMs,
        work: createTurnGranter(this.#deps),
        log,
        fault: 'Steps that wait for rate limits could not be resumed; retrying.',
        level: 'warn',
      }),
    ];
  }

  stats(): { workerId: string; active: number } {
    return { workerId: this.#session.workerId, active: this.#session.activeCount };
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#wakeUp.signal();
    await this.#claiming;
    await this.#session.drained(this.#options.drainMs ?? defaultDrainMs);
    this.#session.abandon('draining');
    await this.#session.drained(5_000);
    await Promise.all(this.#periodic.map((each) => each.stop()));
    for (const end of this.#unsubscribe) end();
    this.#session.lease.end();
    await retireWorker(this.#deps, this.#session.workerId, { lost: false }).catch((error: unknown) =>
      this.#deps.log.warn(
        { err: error },
        'Runs could not be handed back; other workers take them over when the lease ends.',
      ),
    );
  }

  #openSession(): Promise<WorkerSession> {
    const onRunEnded = (): void => {
      if (this.#hasBacklog) this.#wakeUp.signal();
    };
    return openWorkerSession(this.#deps, { ...this.#options, loadBundle: this.#loadBundle, onRunEnded });
  }

  #subscribe(): void {
    const { live, log } = this.#deps;
    const { signal } = this.#wakeUp;
    this.#unsubscribe = [
      live.subscribe(jobsChannel, executeRunJob.name, { onEntry: signal, onResync: signal }),
      live.subscribe(cancelChannel, everything, {
        onEntry: (key) => this.#session.cancel(key),
        onResync: () => {
          this.#session.cancelRequested().catch((error: unknown) => warnOfCancels(log, error));
        },
      }),
    ];
  }

  async #claimLoop(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      try {
        if (!this.#session.isLost) await this.#session.compare();
        await this.#claim();
      } catch (error) {
        warnOfClaim(this.#deps.log, error);
      }
      await this.#wakeUp.wait(pollMs);
      const pauseMs = this.#pauseMs();
      if (pauseMs >= 1) await delay(pauseMs);
    }
  }

  async #claim(): Promise<void> {
    const free = this.#options.concurrency - this.#session.activeCount;
    const size = claimSizes.find((each) => each <= free);
    if (size === undefined || this.#session.isLost || this.#options.isHeldBack?.() || !(await this.#isOurTurn()))
      return;
    this.#hasBacklog = (await this.#session.claim(size)) >= size;
    if (this.#hasBacklog && size < free) this.#wakeUp.signal();
  }

  /** True when this worker may claim: no worker precedes it, its last claim left a backlog, or the queue is late. */
  async #isOurTurn(): Promise<boolean> {
    if (this.#hasBacklog || this.#session.lease.before === 0) return true;
    const late = await isQueueLate(this.#deps, yieldMs);
    // A run that has not waited long is looked at again, since no notice follows.
    if (late === false) this.#wakeUp.signal();
    return late === true;
  }

  #pauseMs(): number {
    if (this.#hasBacklog) return refillPauseMs;
    return this.#session.lease.before > 0 ? yieldMs / 2 : gatherMs(this.#session.activeCount);
  }

  async #renewLease(): Promise<void> {
    const { workerId } = this.#session;
    if (await this.#isRenewed()) return;
    this.#deps.log.error({ workerId }, 'The lease of this worker was lost; its runs are left to other workers.');
    this.#session.lose();
    // Its runs are put back into the queue now, before another worker finds that the lease has ended.
    await retireWorker(this.#deps, workerId, { lost: true });
    this.#session = await this.#openSession();
    this.#wakeUp.signal();
  }

  async #isRenewed(): Promise<boolean> {
    if (this.#session.isLost) return false;
    try {
      const renewed = await this.#session.lease.renew();
      if (this.#graceUntil === Infinity) this.#graceUntil = performance.now() + graceMs;
      return renewed;
    } catch (error) {
      this.#graceUntil = Infinity;
      throw error;
    }
  }

  async #reconcile(): Promise<void> {
    if (performance.now() < this.#graceUntil) return;
    const made = await reconcileRuns(this.#deps, this.#session.workerId);
    if (made.recovered + made.requeued > 0) this.#deps.log.info(made, 'Runs were put back into the queue.');
  }
}
