import { availableParallelism, cpus } from 'node:os';

/** Less says nothing, as the system counts in hundredths of a second. */
const shortMs = 100;

const idleMs = (): number => cpus().reduce((sum, { times }) => sum + times.idle, 0);

/** Begins to watch the cores of this machine; what it answers tells how many of them have been idle since, 0 where that cannot be told. */
export function watchIdleCores(): () => number {
  const began = performance.now();
  const before = idleMs();
  return () => {
    const tookMs = performance.now() - began;
    return tookMs < shortMs || availableParallelism() === 1 ? 0 : (idleMs() - before) / tookMs;
  };
}
