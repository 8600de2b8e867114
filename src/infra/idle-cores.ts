import { availableParallelism, cpus } from 'node:os';

/** The system counts in hundredths of a second, so a shorter interval gives no reliable figure. */
const shortMs = 100;

const idleMs = (): number => cpus().reduce((sum, { times }) => sum + times.idle, 0);

/**
 * Starts a measurement of this machine's cores. The returned function gives the average number of idle cores since; 0 if that cannot be
 * measured.
 */
export function watchIdleCores(): () => number {
  const began = performance.now();
  const before = idleMs();
  return () => {
    const tookMs = performance.now() - began;
    return tookMs < shortMs || availableParallelism() === 1 ? 0 : (idleMs() - before) / tookMs;
  };
}
