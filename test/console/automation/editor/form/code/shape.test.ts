import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mergeShapes, valueShape, writeType } from '#console/automation/editor/form/code/types/shape.ts';
import { readJson } from '#console/graph/exact-numbers.ts';
import { makeChecker } from './checker.ts';

const describeType = (value: unknown): string => writeType(valueShape(value));

test.each([
  [{ sku: 'A', qty: 2, open: true }, '{ sku: string; qty: number; open: boolean; }'],
  [{ 'a b': [1, 'x'] }, '{ "a b": Array<string | number>; }'],
  [[{ a: 1 }, { a: 2, b: null }], 'Array<{ a: number; b?: any; }>'],
  [[{ a: 'x' }, { a: null }], 'Array<{ a: string | null; }>'],
  [[[], [1]], 'Array<Array<number>>'],
  [null, 'any'],
  [[], 'Array<any>'],
  [{}, '{ [name: string]: any; }'],
  [{ toString: false, a: 1 }, '{ a: number; [name: string]: any; }'],
  [readJson('[12345678901234567890123]'), 'Array<any>'],
])('the type of %j is %s', (value, type) => {
  expect(
    describeType(value).replaceAll('number | string', 'string | number').replaceAll('null | string', 'string | null'),
  ).toBe(type);
});

test('a type of many members, items or levels has a bounded length, and leaves the rest open', () => {
  const wide = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`m${index}`, index]));
  const deep = Array.from({ length: 50 }).reduce<unknown>((inner) => ({ inner }), 'end');
  expect(describeType(wide)).toMatch(/m99: number; \[name: string\]: any; \}$/);
  expect(describeType({ ['n'.repeat(10_000)]: 1 })).toBe('{ [name: string]: any; }');
  expect(describeType(deep)).toMatch(/inner: any;/);
  expect(describeType(Array.from({ length: 200 }, () => wide)).length).toBeLessThan(100_000);
});

test('a value fits the type that is made from it, alone and among others', { timeout: 120_000 }, () => {
  const checker = makeChecker();
  const faults = (type: string, value: unknown) =>
    checker.faults({ text: `sample = ${JSON.stringify(value)};`, scope: `declare let sample: ${type};` });
  // In a program, unlike in JSON, this name sets the prototype.
  const json = fc.jsonValue({ maxDepth: 4 }).filter((value) => !JSON.stringify(value).includes('__proto__'));
  fc.assert(
    fc.property(json, json, (value, other) => {
      const type = writeType(mergeShapes([valueShape(value), valueShape(other)]));
      expect([...faults(describeType(value), value), ...faults(type, value), ...faults(type, other)]).toEqual([]);
    }),
    { numRuns: 100 },
  );
});
