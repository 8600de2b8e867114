import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { judge } from '#bench/lib/figure.ts';
import { percentile, summarise } from '#bench/lib/stats.ts';

const base = { figure: 'runs', value: 2000, unit: 'runs/s' };

describe('a figure', () => {
  test('holds when its ratio to the peer is in reach', () => {
    const against = { name: 'peer', value: 400 };
    const line = judge({ ...base, against, reach: { of: 'ratio', atLeast: 5 } });
    expect(line).toMatchObject({ ratio: 5, reach: '>= 5x', holds: true });
    expect(judge({ ...base, against, reach: { of: 'ratio', atLeast: 5.1 } }).holds).toBe(false);
  });

  test('does not hold when its bound could not be measured', () => {
    expect(judge({ ...base, reach: { of: 'ratio', atLeast: 1 } }).holds).toBe(false);
    expect(judge({ ...base, value: Number.NaN, reach: { of: 'value', atMost: 10 } }).holds).toBe(false);
    expect(judge(base).holds).toBeNull();
  });
});

describe('percentiles', () => {
  test('are measured values with at least their share of samples at or below them', () => {
    const samples = fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 300 });
    fc.assert(
      fc.property(samples, fc.double({ min: 0.01, max: 1, noNaN: true }), (values, share) => {
        const sorted = values.toSorted((a, b) => a - b);
        const found = percentile(sorted, share);
        expect(values).toContain(found);
        expect(values.filter((value) => value <= found).length).toBeGreaterThanOrEqual(share * values.length);
        expect(summarise(values).max).toBe(Math.max(...values));
      }),
    );
  });
});
