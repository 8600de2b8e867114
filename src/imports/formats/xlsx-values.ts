import { Decimal } from 'decimal.js';
import { Fault } from '#src/imports/targets/cells.ts';
import type { CellValue } from './records.ts';

const number = /^-?\d+(\.\d+)?([eE][+-]?\d{1,3})?$/;

/** A number by its decimal digits: workbooks write 0.001 as 1E-3. */
export const numberText = (raw: string, decimalSeparator: string): CellValue => {
  if (!number.test(raw)) return raw;
  const text = /e/i.test(raw) ? new Decimal(raw).toFixed() : raw;
  return text.replace('.', decimalSeparator);
};

const dayMs = 86_400_000;
/** The number of 29 February 1900, which workbooks count although the year had no such day. */
const noDay = 60;

/** The date of a day's number, or the instant where it has a time; days are taken as UTC. */
export function dateText(raw: string, { from1904 }: { from1904: boolean }): CellValue {
  const serial = Number(raw);
  if (!number.test(raw) || serial < 0 || serial >= 2_958_466) return new Fault('The cell shows a date and holds none.');
  const shift = from1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, serial < noDay ? 31 : 30);
  if (!from1904 && Math.floor(serial) === noDay) return new Fault('The 29th of February 1900 is not a date.');
  const at = new Date(shift + Math.round(serial * dayMs)).toISOString();
  return Number.isInteger(serial) ? at.slice(0, 10) : at;
}

/** Where a cell is in its row, from its reference: `AB12` is 27. */
export function columnOf(reference: string): number {
  let column = 0;
  for (let at = 0; at < reference.length; at += 1) {
    const letter = reference.charCodeAt(at) - 64;
    if (letter < 1 || letter > 26) break;
    column = column * 26 + letter;
  }
  return column - 1;
}
