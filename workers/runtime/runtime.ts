import type { NodeCallOutcome } from '#src/automation/node-api/node-runtime.ts';
import { observations } from '#src/infra/observations/observations.ts';
import { ActiveExecution } from './active-execution.ts';
import type { Execution } from './active-execution.ts';
import { hostBoundary, requireBoundary } from './boundary.ts';
import type { BoundaryPolicy, OsBoundary } from './boundary.ts';
import { defaultLimits } from './limits.ts';
import type { RuntimeLimits } from './limits.ts';
import { TenantChild } from './tenant-child.ts';
import type { ChildExit } from './tenant-child.ts';

export type RuntimeOptions = BoundaryPolicy & {
  limits?: Partial<RuntimeLimits>;
  /** Called for every child that ended unexpectedly, for the log. */
  onCrash?: (crash: ChildExit & { owner: string }) => void;
};

export type RuntimeStats = {
  boundary: OsBoundary;
  children: { owner: string; pid: number | undefined; ready: boolean; inFlight: number }[];
  queued: number;
};

export type Runtime = {
  /** Never rejects: whatever the node or its process does is an outcome. */
  execute(execution: Execution): Promise<NodeCallOutcome>;
  stats(): RuntimeStats;
  /** Ends every execution as unavailable, kills every child and waits until none is left. */
  close(): Promise<void>;
};

/** One owner's queue and, while it has one, its process. */
type Lane = {
  owner: string;
  queue: ActiveExecution[];
  child: TenantChild | undefined;
  failures: number;
  /** `performance.now()` before which no new child is started. */
  notBefore: number;
  /** When its last child ended: the owner served longest ago is served next. */
  servedAt: number;
};

const firstBackoffMs = 100;
const tickMs = 100;
/** After this many children in a row died without finishing anything, the waiting executions fail. */
const maxConsecutiveFailures = 3;

type Failure = { message: string; code: string };
const queueFullFailure: Failure = { message: 'Too many node executions are waiting.', code: 'QUEUE_FULL' };
const closedFailure: Failure = { message: 'The node runtime was closed.', code: 'RUNTIME_CLOSED' };
const cancelledFailure: Failure = { message: 'The run was cancelled.', code: 'CANCELLED' };

function toJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/**
 * Starts the runtime after finding out which OS boundary works here. Throws when production has none and was not told
 * that this is intended.
 */
export async function createRuntime(options: RuntimeOptions = {}): Promise<Runtime> {
  const { boundary, prefix } = await hostBoundary();
  requireBoundary(boundary, options);
  return new ChildPool(boundary, prefix, options);
}

/** Runs executions in children: one process per owner, at most `maxChildren` at a time. */
class ChildPool implements Runtime {
  readonly #boundary: OsBoundary;
  readonly #prefix: string[];
  readonly #limits: RuntimeLimits;
  readonly #onCrash: RuntimeOptions['onCrash'];
  readonly #lanes = new Map<string, Lane>();
  readonly #alive = new Set<TenantChild>();
  readonly #ticker: NodeJS.Timeout;
  #closed = false;

  constructor(boundary: OsBoundary, prefix: string[], options: RuntimeOptions) {
    this.#boundary = boundary;
    this.#prefix = prefix;
    this.#limits = { ...defaultLimits, ...options.limits };
    this.#onCrash = options.onCrash;
    this.#ticker = setInterval(() => this.#tick(), tickMs);
    process.once('exit', this.#killAll);
  }

  execute(execution: Execution): Promise<NodeCallOutcome> {
    const inputJson = toJson(execution.input);
    const active = new ActiveExecution(execution, inputJson ?? '', this.#limits);
    const lane = this.#lanes.get(execution.owner) ?? newLane(execution.owner);
    const refusal = this.#refuse(inputJson);
    if (refusal !== undefined) active.fail('unavailable', refusal);
    else if (execution.signal?.aborted === true) active.fail('cancelled', cancelledFailure);
    else if (lane.queue.length >= this.#limits.maxQueuedPerTenant) active.fail('unavailable', queueFullFailure);
    if (active.ended) return active.outcome;

    this.#lanes.set(lane.owner, lane);
    const onAbort = (): void => {
      if (lane.queue.includes(active)) active.fail('cancelled', cancelledFailure);
    };
    execution.signal?.addEventListener('abort', onAbort, { once: true });
    lane.queue.push(active);
    this.#runQueued(lane);
    return active.outcome.finally(() => execution.signal?.removeEventListener('abort', onAbort));
  }

  stats(): RuntimeStats {
    const lanes = [...this.#lanes.values()];
    return {
      boundary: this.#boundary,
      children: lanes.flatMap(({ owner, child }) =>
        child === undefined ? [] : [{ owner, pid: child.pid, ready: child.ready, inFlight: child.inFlight }],
      ),
      queued: lanes.reduce((total, lane) => total + lane.queue.length, 0),
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#ticker);
    process.off('exit', this.#killAll);
    for (const lane of this.#lanes.values()) failQueued(lane, closedFailure);
    for (const child of this.#alive) child.abandon('unavailable', closedFailure);
    await Promise.all([...this.#alive].map((child) => child.exited));
  }

  #refuse(inputJson: string | undefined): Failure | undefined {
    const { maxInputChars } = this.#limits;
    if (this.#closed) return { message: 'The node runtime is closed.', code: 'RUNTIME_CLOSED' };
    if (inputJson === undefined) return { message: "The node's input is not JSON.", code: 'INPUT_NOT_JSON' };
    if (inputJson.length > maxInputChars) {
      const message = `The node's input is ${inputJson.length} characters of JSON; at most ${maxInputChars} are taken.`;
      return { message, code: 'INPUT_TOO_LARGE' };
    }
    return undefined;
  }

  /** Sends the lane's executions to its child, and gets it a child if it has none. */
  #runQueued(lane: Lane): void {
    if (this.#closed || lane.queue.length === 0) return;
    const { child } = lane;
    if (child === undefined) {
      if (performance.now() < lane.notBefore) return;
      if (this.#alive.size < this.#limits.maxChildren) this.#startChild(lane);
      else this.#makeRoom();
      return;
    }
    while (child.ready && !child.draining && !child.gone && child.inFlight < this.#limits.maxInFlightPerChild) {
      const active = lane.queue.shift();
      if (active === undefined) return;
      if (!active.ended) child.run(active);
    }
  }

  /** Gives free places to the lanes without a child, the one that was served longest ago first. */
  #serveWaiting(): void {
    const waiting = [...this.#lanes.values()].filter((lane) => lane.child === undefined);
    for (const lane of waiting.toSorted((a, b) => a.servedAt - b.servedAt)) this.#runQueued(lane);
  }

  #startChild(lane: Lane): void {
    const child = new TenantChild(this.#prefix, this.#limits, {
      onReady: () => this.#runQueued(lane),
      onEnded: () => {
        lane.failures = 0;
        if (child.draining && child.inFlight === 0) child.kill();
        else this.#runQueued(lane);
      },
      onExit: (exit) => {
        this.#alive.delete(child);
        if (lane.child === child) lane.child = undefined;
        if (!child.draining && !this.#closed) {
          observations.sandboxCrashed.tell(undefined);
          this.#onCrash?.({ ...exit, owner: lane.owner });
          this.#backOff(lane);
        }
        lane.servedAt = performance.now();
        this.#serveWaiting();
        this.#forgetIfIdle(lane);
      },
    });
    this.#alive.add(child);
    lane.child = child;
  }

  #backOff(lane: Lane): void {
    lane.failures += 1;
    const delay = Math.min(firstBackoffMs * 2 ** (lane.failures - 1), this.#limits.maxBackoffMs);
    lane.notBefore = performance.now() + delay;
    if (lane.failures < maxConsecutiveFailures) return;
    failQueued(lane, { message: 'The node runtime process does not start.', code: 'RUNTIME_UNAVAILABLE' });
  }

  /** Makes room for a waiting tenant: kills an idle child, or else drains the one that has served longest. */
  #makeRoom(): void {
    const children = [...this.#alive].filter((child) => !child.draining);
    const idle = children.filter((child) => child.ready && child.inFlight === 0 && this.#isQueueEmpty(child));
    const [leastUsed] = idle.toSorted((a, b) => a.lastUsed - b.lastUsed);
    if (leastUsed !== undefined) {
      retire(leastUsed);
      return;
    }
    // One at a time: each place that is freed serves the tenant that has waited longest.
    if (children.length < this.#alive.size) return;
    const [oldest] = children.toSorted((a, b) => a.readySince - b.readySince);
    // A child that is still starting is not killed: otherwise, on a busy machine, no child would ever get to work.
    if (oldest !== undefined && performance.now() - oldest.readySince >= this.#limits.childTenureMs) retire(oldest);
  }

  #isQueueEmpty(child: TenantChild): boolean {
    return [...this.#lanes.values()].find((lane) => lane.child === child)?.queue.length === 0;
  }

  #tick(): void {
    const now = performance.now();
    for (const lane of this.#lanes.values()) {
      this.#dropOverdue(lane, now);
      const { child } = lane;
      if (child?.ready === true && child.inFlight === 0 && now - child.lastUsed > this.#limits.idleChildMs) {
        retire(child);
      }
      if (child !== undefined && child.inFlight > 0) child.checkMemory();
      this.#forgetIfIdle(lane);
    }
    this.#serveWaiting();
  }

  #dropOverdue({ queue }: Lane, now: number): void {
    const failure = { message: 'The node runtime was busy for too long.', code: 'QUEUE_TIMEOUT' };
    while (queue[0] !== undefined && (queue[0].ended || now - queue[0].queuedAt > this.#limits.queueTimeoutMs)) {
      queue.shift()?.fail('unavailable', failure);
    }
  }

  #forgetIfIdle(lane: Lane): void {
    if (lane.child === undefined && lane.queue.length === 0 && performance.now() >= lane.notBefore) {
      this.#lanes.delete(lane.owner);
    }
  }

  readonly #killAll = (): void => {
    for (const child of this.#alive) child.kill();
  };
}

const newLane = (owner: string): Lane => ({
  owner,
  queue: [],
  child: undefined,
  failures: 0,
  notBefore: 0,
  servedAt: 0,
});

function failQueued(lane: Lane, failure: Failure): void {
  for (const active of lane.queue.splice(0)) active.fail('unavailable', failure);
}

/** Gives a child no new work, and kills it as soon as it has none. */
function retire(child: TenantChild): void {
  child.draining = true;
  if (child.inFlight === 0) child.kill();
}
