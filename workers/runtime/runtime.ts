import type { NodeCallOutcome } from '#src/automation/node-api/node-runtime.ts';
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

function jsonOf(value: unknown): string | undefined {
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
  const limits: RuntimeLimits = { ...defaultLimits, ...options.limits };
  const { boundary, prefix } = await hostBoundary();
  requireBoundary(boundary, options);

  const lanes = new Map<string, Lane>();
  const alive = new Set<TenantChild>();
  let closed = false;

  const hasRoom = (): boolean => alive.size < limits.maxChildren;

  function startChild(lane: Lane): void {
    const child = new TenantChild(prefix, limits, {
      onReady: () => pump(lane),
      onEnded: () => {
        lane.failures = 0;
        if (child.draining && child.inFlight === 0) child.kill();
        else pump(lane);
      },
      onExit: (exit) => {
        alive.delete(child);
        if (lane.child === child) lane.child = undefined;
        if (!child.draining && !closed) {
          options.onCrash?.({ ...exit, owner: lane.owner });
          backOff(lane);
        }
        lane.servedAt = performance.now();
        pumpWaiting();
        forgetIfIdle(lane);
      },
    });
    alive.add(child);
    lane.child = child;
  }

  function backOff(lane: Lane): void {
    lane.failures += 1;
    const delay = Math.min(firstBackoffMs * 2 ** (lane.failures - 1), limits.maxBackoffMs);
    lane.notBefore = performance.now() + delay;
    if (lane.failures < maxConsecutiveFailures) return;
    for (const active of lane.queue.splice(0)) {
      active.fail('unavailable', { message: 'The node runtime process does not start.', code: 'RUNTIME_UNAVAILABLE' });
    }
  }

  /** Makes room for a waiting tenant: kills an idle child, or else drains the one that has served longest. */
  function makeRoom(): void {
    const children = [...alive].filter((child) => !child.draining);
    const idle = children.filter((child) => child.ready && child.inFlight === 0 && laneOf(child)?.queue.length === 0);
    const [leastUsed] = idle.toSorted((a, b) => a.lastUsed - b.lastUsed);
    if (leastUsed !== undefined) {
      leastUsed.draining = true;
      leastUsed.kill();
      return;
    }
    // One at a time: each slot that is freed serves the tenant that has waited longest.
    if (children.length < alive.size) return;
    const [oldest] = children.toSorted((a, b) => a.readySince - b.readySince);
    // A child that is still starting is not killed: otherwise, on a busy machine, no child would ever get to work.
    if (oldest === undefined || performance.now() - oldest.readySince < limits.childTenureMs) return;
    oldest.draining = true;
    if (oldest.inFlight === 0) oldest.kill();
  }

  const laneOf = (child: TenantChild): Lane | undefined => [...lanes.values()].find((lane) => lane.child === child);

  function pump(lane: Lane): void {
    if (closed || lane.queue.length === 0) return;
    if (lane.child === undefined) {
      if (performance.now() < lane.notBefore) return;
      if (hasRoom()) startChild(lane);
      else makeRoom();
      return;
    }
    const { child } = lane;
    while (child.ready && !child.draining && !child.gone && child.inFlight < limits.maxInFlightPerChild) {
      const active = lane.queue.shift();
      if (active === undefined) return;
      if (!active.ended) child.run(active);
    }
  }

  function pumpWaiting(): void {
    const waiting = [...lanes.values()].filter((lane) => lane.child === undefined);
    for (const lane of waiting.toSorted((a, b) => a.servedAt - b.servedAt)) pump(lane);
  }

  function forgetIfIdle(lane: Lane): void {
    if (lane.child === undefined && lane.queue.length === 0 && performance.now() >= lane.notBefore) {
      lanes.delete(lane.owner);
    }
  }

  function tick(): void {
    const now = performance.now();
    for (const lane of lanes.values()) {
      while (
        lane.queue[0] !== undefined &&
        (lane.queue[0].ended || now - lane.queue[0].queuedAt > limits.queueTimeoutMs)
      ) {
        const message = 'The node runtime was busy for too long.';
        lane.queue.shift()?.fail('unavailable', { message, code: 'QUEUE_TIMEOUT' });
      }
      const { child } = lane;
      if (child?.ready === true && child.inFlight === 0 && now - child.lastUsed > limits.idleChildMs) {
        child.draining = true;
        child.kill();
      }
      if (child !== undefined && child.inFlight > 0) child.checkMemory();
      forgetIfIdle(lane);
    }
    pumpWaiting();
  }
  const ticker = setInterval(tick, tickMs);

  function execute(execution: Execution): Promise<NodeCallOutcome> {
    const inputJson = jsonOf(execution.input);
    const active = new ActiveExecution(execution, inputJson ?? '', limits);
    if (closed) {
      active.fail('unavailable', { message: 'The node runtime is closed.', code: 'RUNTIME_CLOSED' });
      return active.outcome;
    }
    if (inputJson === undefined) {
      active.fail('unavailable', { message: "The node's input is not JSON.", code: 'INPUT_NOT_JSON' });
      return active.outcome;
    }
    if (inputJson.length > limits.maxInputChars) {
      const message = `The node's input is ${inputJson.length} characters of JSON; at most ${limits.maxInputChars} are taken.`;
      active.fail('unavailable', { message, code: 'INPUT_TOO_LARGE' });
      return active.outcome;
    }
    if (execution.signal?.aborted === true) {
      active.fail('cancelled', { message: 'The run was cancelled.', code: 'CANCELLED' });
      return active.outcome;
    }
    const { owner } = execution;
    const lane = lanes.get(owner) ?? {
      owner,
      queue: [],
      child: undefined,
      failures: 0,
      notBefore: 0,
      servedAt: 0,
    };
    lanes.set(owner, lane);
    if (lane.queue.length >= limits.maxQueuedPerTenant) {
      active.fail('unavailable', { message: 'Too many node executions are waiting.', code: 'QUEUE_FULL' });
      return active.outcome;
    }
    const onAbort = (): void => {
      if (!lane.queue.includes(active)) return;
      active.fail('cancelled', { message: 'The run was cancelled.', code: 'CANCELLED' });
    };
    execution.signal?.addEventListener('abort', onAbort, { once: true });
    lane.queue.push(active);
    pump(lane);
    return active.outcome.finally(() => execution.signal?.removeEventListener('abort', onAbort));
  }

  const killAll = (): void => {
    for (const child of alive) child.kill();
  };
  process.once('exit', killAll);

  return {
    execute,
    stats: () => ({
      boundary,
      children: [...lanes.values()].flatMap(({ owner, child }) =>
        child === undefined ? [] : [{ owner, pid: child.pid, ready: child.ready, inFlight: child.inFlight }],
      ),
      queued: [...lanes.values()].reduce((total, lane) => total + lane.queue.length, 0),
    }),
    close: async () => {
      closed = true;
      clearInterval(ticker);
      process.off('exit', killAll);
      for (const lane of lanes.values()) {
        for (const active of lane.queue.splice(0)) {
          active.fail('unavailable', { message: 'The node runtime was closed.', code: 'RUNTIME_CLOSED' });
        }
      }
      for (const child of alive)
        child.abandon('unavailable', { message: 'The node runtime was closed.', code: 'RUNTIME_CLOSED' });
      await Promise.all([...alive].map((child) => child.exited));
    },
  };
}
