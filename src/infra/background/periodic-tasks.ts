import type { Deps } from '#src/infra/deps.ts';
import { every, type Repeating } from './every.ts';

/**
 * Periodic work that a domain declares. Every worker process runs it, so it must be safe to run concurrently: it takes a lock, or skips
 * rows that another process has locked.
 */
export interface PeriodicTask {
  name: string;
  /** Milliseconds from the end of one run to the start of the next. */
  everyMs: number;
  /** Milliseconds from a failure to the next run; `everyMs` by default. */
  retryMs?: number;
  /** Milliseconds from the start of the worker to the first run; 0 by default. */
  firstMs?: number;
  work: (deps: Deps, signal: AbortSignal) => Promise<unknown>;
  /** The message that is logged when it fails; it is then retried. */
  fault: string;
}

export const minuteMs = 60_000;
export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

/** Repeats a batch until it returns false, which means that nothing is left. */
export const inBatches =
  (batch: (deps: Deps) => Promise<boolean>): PeriodicTask['work'] =>
  async (deps, signal) => {
    while (!signal.aborted && (await batch(deps)));
  };

export function startPeriodicTasks(deps: Deps, chores: readonly PeriodicTask[]): Repeating {
  const running = chores.map(({ name, work, ...chore }) =>
    every({ ...chore, log: deps.log.child({ chore: name }), work: (signal) => work(deps, signal) }),
  );
  return {
    async stop() {
      await Promise.all(running.map(({ stop }) => stop()));
    },
  };
}
