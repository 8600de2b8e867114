import { describe, expect, test } from 'vitest';
import { fitProps } from '#src/themes/islands/props.rules.ts';

interface Range {
  min: number;
  max: number;
  step?: number;
  default?: number;
}

const fit = (range: Range, value: number): unknown =>
  fitProps(
    {
      id: 'stars',
      island: 'Stars',
      title: 'Stars',
      enabledOn: ['page'],
      settings: { at: { type: 'range', label: 'At', ...range } },
    },
    { at: value },
  ).at;

const isTaken = (range: Range, value: number): boolean => {
  try {
    return fit(range, value) === value;
  } catch {
    return false;
  }
};

describe('the steps of a range', () => {
  test.each<Range & { step: number }>([
    { min: 0, max: 1, step: 0.1 },
    { min: -1, max: 1, step: 0.01 },
    { min: 0.05, max: 5, step: 0.15 },
    { min: -3.3, max: 3.3, step: 0.3 },
    { min: 1_000_000, max: 1_000_010, step: 0.1 },
    { min: 998, max: 1_000, step: 0.001 },
    { min: 0, max: 0.000_001, step: 1e-9 },
    { min: -1e9, max: 1e9, step: 1_250_000 },
  ])('$step from $min are taken as they are, however they are reckoned, and nothing between them is', (range) => {
    const { min, max, step } = range;
    let sum = min;
    for (let at = 0; at <= Math.round((max - min) / step); at += 1) {
      const product = min + at * step;
      // The value written in JSON, the product that a client computes, and the sum.
      const decimal = Number(product.toPrecision(12));
      const reckoned = [decimal, product, ...(at < 200 ? [sum] : [])].filter((value) => value <= max);
      expect(reckoned.filter((value) => !isTaken(range, value))).toEqual([]);
      const between = [0.001, 0.5, 0.999].map((part) => product + part * step);
      expect(between.filter((value) => isTaken(range, value))).toEqual([]);
      sum += step;
    }
  });

  test('begin at the minimum, and exclude the maximum if no step reaches it', () => {
    const range = { min: 1, max: 10, step: 2 };
    expect([1, 2, 3, 9, 10].filter((value) => isTaken(range, value))).toEqual([1, 3, 9]);
    expect(() => fit(range, 10)).toThrow(expect.objectContaining({ fields: { 'props.at': [expect.any(String)] } }));
  });

  test('apply neither to the default nor to a range without steps', () => {
    const range = { min: 0, max: 10, step: 3, default: 5 };
    expect([4, 5, 6].filter((value) => isTaken(range, value))).toEqual([5, 6]);
    expect(isTaken({ min: 0, max: 10 }, Math.PI)).toBe(true);
  });
});
