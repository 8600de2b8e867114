import { describe, expect, test } from 'vitest';
import { compare, subtract } from '#console/commerce/exact.ts';

describe('a difference of decimals', () => {
  test.for([
    ['12', '5', '7'],
    ['2.5', '2.50', '0'],
    ['0.3', '0.1', '0.2'],
    ['1', '1.000001', '-0.000001'],
    ['-4', '1.5', '-5.5'],
    ['9007199254740993.10', '1', '9007199254740992.1'],
  ] as const)('%s less %s is %s', ([a, b, difference]) => {
    expect(subtract(a, b)).toBe(difference);
    expect(compare(a, b)).toBe(difference === '0' ? 0 : difference.startsWith('-') ? -1 : 1);
  });
});
