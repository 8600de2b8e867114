const firstMs = 100;
const mostMs = 10_000;

/** Milliseconds before attempt `attempt` (from 0): 100, 200, 400, ... up to 10,000, shortened by up to a fifth at random. */
export const backoff = (attempt: number): number =>
  Math.min(mostMs, firstMs * 2 ** Math.min(attempt, 16)) * (1 - Math.random() / 5);
