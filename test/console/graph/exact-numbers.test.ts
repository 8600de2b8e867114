import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ExactNumber, readJson } from '#console/graph/exact-numbers.ts';

const shown = (text: string): string => String((readJson(`{"value":${text}}`) as { value: unknown }).value);

describe('numbers of an answer', () => {
  test.for([
    '9007199254740993',
    '-123456789012345678901234567890',
    '0.123456789012345678901234567891',
    '1234567890123456.7890123456789',
    '1e400',
    '123456789012345678e3',
  ])('%s is shown with all its digits', (digits) => {
    const { value } = readJson(`{"value":${digits}}`) as { value: unknown };
    expect(value).toBeInstanceOf(ExactNumber);
    expect(String(value)).toBe(digits);
  });

  test.for([
    '0',
    '-0',
    '1',
    '1.50',
    '9007199254740991',
    '9007199254740992',
    '0.1',
    '1e3',
    '1E-7',
    '100000000000000000000',
    '0.00000000000000000',
  ])('%s stays a number, because a double holds it', (digits) => {
    const { value } = readJson(`[{"value": ${digits}}]`.slice(1, -1)) as { value: unknown };
    expect(value).toBe(Number(digits));
  });

  test('are found alone, as the whole of a payload', () => {
    expect(String(readJson(' 9007199254740993'))).toBe('9007199254740993');
  });

  test('are found in lists, deep inside, and after a line break', () => {
    expect(readJson('{"a":[1,\n 9007199254740993,{"b":9007199254740995}]}')).toEqual({
      a: [1, new ExactNumber('9007199254740993'), { b: new ExactNumber('9007199254740995') }],
    });
  });

  test('are sent back as they came', () => {
    const text = '{"id":9007199254740993,"rate":0.123456789012345678901234567891}';
    expect(JSON.stringify(readJson(text))).toBe(text);
  });

  test('leave texts alone, whatever digits they hold', () => {
    const text = JSON.stringify({ id: '9007199254740993', note: 'costs: 9007199254740993, or 1e400' });
    expect(readJson(text)).toEqual(JSON.parse(text));
  });

  test('are shown with the value that was sent', () => {
    const Exact = Decimal.clone({ precision: 200 });
    fc.assert(
      fc.property(fc.bigInt(), fc.bigInt({ min: 0n }), (whole, part) => {
        for (const digits of [`${whole}`, `${whole}.${part}`]) expect(new Exact(shown(digits)).eq(digits)).toBe(true);
      }),
    );
  });
});
