import * as esbuild from 'esbuild';

let last: Promise<unknown> = Promise.resolve();
let waiting = 0;

/**
 * Works with esbuild, one after the other. All builds share one process, and a source nested deeply enough crashes it; in turn, only the
 * culprit is lost. The process starts within 20 ms and is stopped when nobody waits for it.
 */
export function withEsbuild<T>(work: () => Promise<T>): Promise<T> {
  waiting += 1;
  const mine = last.then(work).catch(async (error: unknown) => {
    // The next work starts a new process.
    if (isEsbuildLost(error)) await esbuild.stop();
    throw error;
  });
  last = mine
    .catch(() => {})
    .then(async () => {
      waiting -= 1;
      if (waiting === 0) await esbuild.stop();
    });
  return mine;
}

/** Whether esbuild's process ended while it worked. Its error has neither a class nor a code. */
export const isEsbuildLost = (error: unknown): boolean =>
  error instanceof Error && /service (was stopped|is no longer running)/.test(error.message);
