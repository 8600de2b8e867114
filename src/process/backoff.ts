const firstMs = 100;
const maxMs = 10_000;

/** Milliseconds before attempt `attempt` (from 0): 100, 200, 400, ... up to `atMost`, 10,000 by default, shortened by up to a fifth at random. */
export const backoff = (attempt: number, atMost = maxMs): number =>
  Math.min(atMost, firstMs * 2 ** Math.min(attempt, 16)) * (1 - Math.random() / 5);
