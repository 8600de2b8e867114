import { expect, test } from 'vitest';
import { compilePattern } from '#src/imports/transfers/remote-files.rules.ts';

test.for<[string, string[], string[]]>([
  ['*', ['a', '.hidden', 'größe.csv'], []],
  ['*.csv', ['a.csv', '.csv'], ['a.csv.gz', 'a.CSV', 'acsv']],
  ['stock-????.csv', ['stock-2026.csv'], ['stock-26.csv', 'stock-20266.csv']],
  ['a+(b)[c].csv', ['a+(b)[c].csv'], ['aab.csv', 'abc.csv']],
])('the pattern %s fits %o and not %o', ([pattern, fitting, others]) => {
  const fits = compilePattern(pattern);
  expect(fitting.filter((name) => !fits(name))).toEqual([]);
  expect(others.filter(fits)).toEqual([]);
});

test('a pattern of many stars is matched quickly', () => {
  const fits = compilePattern(`${'*a'.repeat(90)}*b`);
  expect(fits('a'.repeat(191))).toBe(false);
});
