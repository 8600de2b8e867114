import { expect, test } from 'vitest';
import { ExactNumber } from '#console/graph/exact-numbers.ts';
import { readNumber } from '#console/ui/form/read-number.ts';

test.for([
  ['', undefined],
  ['  ', undefined],
  ['0', 0],
  ['0.', 0],
  ['0.0', 0],
  ['0.05', 0.05],
  ['-12', -12],
  ['.5', 0.5],
  ['007', 7],
  [' 42 ', 42],
  ['9007199254740993', new ExactNumber('9007199254740993')],
  ['0.123456789012345678901234567890', new ExactNumber('0.123456789012345678901234567890')],
  ['1e400', new ExactNumber('1e400')],
  ['-', '-'],
  ['12 pieces', '12 pieces'],
  ['true', 'true'],
  ['[1]', '[1]'],
  ['"1"', '"1"'],
] as const)('a field for a number reads %o as %o', ([text, value]) => {
  expect(readNumber(text)).toEqual(value);
});
