import { expect, test } from 'vitest';
import { createFilterTime } from '#src/commerce/webhooks/filter-time.rules.ts';

/** How many evaluations in a row a tenant gets, each of which takes so long. */
function countEvaluations(tookMs: number, most: number): number {
  const time = createFilterTime();
  let now = 1_000;
  for (let done = 0; done < most; done += 1) {
    if (time.isSpent('acme-shop', now)) return done;
    now += tookMs;
    time.add('acme-shop', tookMs, now);
  }
  return most;
}

test.each([
  [9.9, 60],
  [50, 12],
  [1, 900],
])('filters of %d ms each hold up the other tenants for about half a second', (tookMs, most) => {
  const evaluations = countEvaluations(tookMs, 10_000);
  expect(evaluations).toBeGreaterThan(1);
  expect(evaluations).toBeLessThanOrEqual(most);
});

test('any number of fast filters is evaluated', () => {
  expect(countEvaluations(0.2, 1_000_000)).toBe(1_000_000);
});

test('a tenant that used up its time gets a tenth of the time, without affecting another tenant', () => {
  const time = createFilterTime();
  time.add('acme-shop', 10_000, 0);
  expect(time.isSpent('acme-outlet', 0)).toBe(false);
  expect(time.isSpent('acme-shop', 90_000)).toBe(true);
  expect(time.isSpent('acme-shop', 96_000)).toBe(false);
});
