import fc from 'fast-check';
import { expect, test } from 'vitest';
import { retryPolicySchema } from '#src/automation/blob/blob.inputs.ts';
import { retryDelay } from '#src/automation/workflows/backoff.rules.ts';

const middle = () => 0.5;

test('an exponential delay doubles up to the maximum', () => {
  const policy = retryPolicySchema.parse({ limit: 10, delay_ms: 100, max_delay_ms: 1000 });
  expect([1, 2, 3, 4, 5, 6].map((failures) => retryDelay(policy, failures, middle))).toEqual([
    100, 200, 400, 800, 1000, 1000,
  ]);
});

test('a fixed delay stays the same', () => {
  const policy = retryPolicySchema.parse({ limit: 3, delay_ms: 100, backoff: 'fixed' });
  expect([1, 2, 3].map((failures) => retryDelay(policy, failures, middle))).toEqual([100, 100, 100]);
});

test('after the limit there is no further attempt', () => {
  const policy = retryPolicySchema.parse({ limit: 2 });
  expect(retryDelay(policy, 2, middle)).not.toBeNull();
  expect(retryDelay(policy, 3, middle)).toBeNull();
  expect(retryDelay(retryPolicySchema.parse({ limit: 0 }), 1, middle)).toBeNull();
});

test('jitter changes a delay by at most a fifth, never above the maximum or below zero', () => {
  fc.assert(
    fc.property(
      fc.nat(3_600_000),
      fc.nat(86_400_000),
      fc.integer({ min: 1, max: 100 }),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (delay_ms, max_delay_ms, failures, random) => {
        const policy = { limit: 100, delay_ms, max_delay_ms, backoff: 'exponential' as const };
        const delay = retryDelay(policy, failures, () => random) ?? Number.NaN;
        const plain = retryDelay(policy, failures, middle) ?? Number.NaN;
        expect(delay).toBeGreaterThanOrEqual(0);
        expect(delay).toBeLessThanOrEqual(max_delay_ms);
        expect(Math.abs(delay - plain)).toBeLessThanOrEqual(plain * 0.2 + 1);
      },
    ),
  );
});
