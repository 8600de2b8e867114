import type { Deps } from './deps.ts';
import { every, type Repeating } from './every.ts';

/**
 * Repeating work that a domain declares. Every worker process does it, so it must bear being done by several at once: by
 * taking a lock, or by skipping rows that another holds.
 */
export interface Chore {
  name: string;
  /** Milliseconds from the end of one time to the start of the next. */
  everyMs: number;
  /** Milliseconds from the start of the worker to the first time; 0 where left out. */
  firstMs?: number;
  work: (deps: Deps, signal: AbortSignal) => Promise<unknown>;
  /** The sentence that is logged when it fails, before it is tried again. */
  fault: string;
}

export const minuteMs = 60_000;
export const hourMs = 3_600_000;

/** Repeats work of which one time does a batch and answers whether there may be more. */
export const inBatches =
  (batch: (deps: Deps) => Promise<boolean>): Chore['work'] =>
  async (deps, signal) => {
    while (!signal.aborted && (await batch(deps)));
  };

export function startChores(deps: Deps, chores: readonly Chore[]): Repeating {
  const running = chores.map(({ name, work, ...chore }) =>
    every({ ...chore, log: deps.log.child({ chore: name }), work: (signal) => work(deps, signal) }),
  );
  return {
    async stop() {
      await Promise.all(running.map(({ stop }) => stop()));
    },
  };
}
