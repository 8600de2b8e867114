import * as esbuild from 'esbuild';

let last: Promise<unknown> = Promise.resolve();
let waiting = 0;

/**
 * Runs builds with esbuild one after another. All builds share one process, and a source that is nested very deeply crashes it, so builds at
 * the same time would fail with it. The process starts within 20 ms and is stopped when no build waits.
 */
export function withEsbuild<T>(work: () => Promise<T>): Promise<T> {
  waiting += 1;
  const mine = last.then(work).catch(async (error: unknown) => {
    // The next build starts a new process.
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

/** True if the process of esbuild ended during a build. The error has neither a class nor a code, so its message decides. */
export const isEsbuildLost = (error: unknown): boolean =>
  error instanceof Error && /service (was stopped|is no longer running)/.test(error.message);
