import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fromAddressId, toAddressId } from '#console/ui/address-id.ts';
import { csvCell } from '#console/ui/screens/csv-cell.ts';
import { ageText, bytesText, durationText, moneyText, numberText } from '#console/words/values.ts';

const digits = (text: string) => text.replaceAll(/[^\d]/g, '');

test('numbers beyond 2^53 and amounts with many decimals keep every digit', () => {
  expect(digits(numberText('9007199254740993'))).toBe('9007199254740993');
  expect(digits(moneyText('12345678901234567890.12345678', 'EUR'))).toBe('1234567890123456789012345678');
});

test('amounts have at least the decimals of their currency', () => {
  expect(digits(moneyText('5', 'EUR'))).toBe('500');
  expect(digits(moneyText('5', 'JPY'))).toBe('5');
});

test.each([
  [0, '0 ms'],
  [999, '999 ms'],
  [65_000, '1 min 5 s'],
  [3_725_000, '1 h 2 min'],
])('%i ms is %s', (ms, text) => {
  expect(durationText(ms)).toBe(text);
});

test('durations never show sixty seconds or minutes', () => {
  fc.assert(fc.property(fc.integer({ min: 0, max: 864_000_000 }), (ms) => !/\b60 (s|min)/.test(durationText(ms))));
});

test('bytes are counted in thousands', () => {
  expect(bytesText(999)).toBe('999 B');
  expect(digits(bytesText(2_000_000))).toBe('2');
});

test('an instant of the near past is an age, one of long ago a date', () => {
  const now = Date.parse('2026-11-27T12:00:00Z');
  expect(ageText('2026-11-27T11:58:00Z', now)).toMatch(/2/);
  expect(ageText('2026-01-01T12:00:00Z', now)).toMatch(/2026/);
});

test('a global id survives the address', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), (text) => {
      const id = Buffer.from(text).toString('base64');
      return fromAddressId(toAddressId(id)) === id && !toAddressId(id).includes('=');
    }),
  );
});

test.each([
  ['plain', 'plain'],
  ['a,b', '"a,b"'],
  ['say "x"', '"say ""x"""'],
  ['=1+1', "'=1+1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['-12.50', '-12.50'],
  ['-cmd', "'-cmd"],
])('the cell %j is written as %j, so that no spreadsheet computes it', (text, cell) => {
  expect(csvCell(text)).toBe(cell);
});
