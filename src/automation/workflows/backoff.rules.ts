import type { RetryPolicy } from '#src/automation/blob/blob.inputs.ts';

/** Spreads the retries of steps that failed together, moving each by at most a fifth. */
const jitter = 0.2;

/**
 * Milliseconds until the next attempt after `failures` failed ones (from 1), or null when no attempt is left.
 * Never negative, never above `max_delay_ms`. `random` returns a number in [0, 1).
 */
export function retryDelay(policy: RetryPolicy, failures: number, random: () => number = Math.random): number | null {
  if (failures > policy.limit) return null;
  // 2 ** 1000 is infinite, and a delay of 0 times infinity is NaN, so the exponent is bounded first.
  const factor = policy.backoff === 'exponential' ? 2 ** Math.min(failures - 1, 40) : 1;
  const delay = Math.min(policy.delay_ms * factor, policy.max_delay_ms);
  return Math.min(Math.round(delay * (1 - jitter + 2 * jitter * random())), policy.max_delay_ms);
}
