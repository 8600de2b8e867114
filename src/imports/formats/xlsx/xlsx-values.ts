import { Decimal } from 'decimal.js';
import type { CellValue } from '#src/imports/formats/records/records.ts';
import { Fault } from '#src/imports/targets/cells.ts';

const number = /^-?\d+(\.\d+)?([eE][+-]?\d{1,3})?$/;

/** Digits of a number that spreadsheets show and keep. */
export const shownDigits = 15;

/**
 * The text of a number, rounded to the 15 digits that a spreadsheet shows: a computed price is stored as the 17 digits of its double,
 * 19.989999999999998. Whole numbers keep all digits, because they are written out only where they are exact.
 */
function rounded(raw: string): string {
  if (raw.length <= shownDigits || !/[.eE]/.test(raw) || significantDigits(raw) <= shownDigits) return raw;
  return new Decimal(raw).toSignificantDigits(shownDigits, Decimal.ROUND_HALF_UP).toFixed();
}

const significantDigits = (raw: string): number =>
  raw
    .replace(/[eE].*/, '')
    .replace(/\D/g, '')
    .replace(/^0+/, '').length;

/** A number by its decimal digits: workbooks write 0.001 as 1E-3. */
export const numberText = (raw: string, decimalSeparator: string): CellValue => {
  if (!number.test(raw)) return raw;
  const shown = rounded(raw);
  const text = /e/i.test(shown) ? new Decimal(shown).toFixed() : shown;
  return text.replace('.', decimalSeparator);
};

const dayMs = 86_400_000;
/** The number of 29 February 1900, which workbooks count although the year had no such day. */
const noDay = 60;

/** The date of a day's number, or the instant where it has a time; days are taken as UTC. */
export function dateText(raw: string, { from1904 }: { from1904: boolean }): CellValue {
  const isNumber = number.test(raw);
  const serial = isNumber ? Number(rounded(raw)) : Number.NaN;
  if (!isNumber || serial < 0 || serial >= 2_958_466) return new Fault('The cell shows a date and holds none.');
  const shift = from1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, serial < noDay ? 31 : 30);
  if (!from1904 && Math.floor(serial) === noDay) return new Fault('The 29th of February 1900 is not a date.');
  const at = new Date(shift + Math.round(serial * dayMs)).toISOString();
  return Number.isInteger(serial) ? at.slice(0, 10) : at;
}

/** Where a cell is in its row, from its reference: `AB12` is 27. */
export function parseColumn(reference: string): number {
  let column = 0;
  for (let at = 0; at < reference.length; at += 1) {
    const letter = reference.charCodeAt(at) - 64;
    if (letter < 1 || letter > 26) break;
    column = column * 26 + letter;
  }
  return column - 1;
}
