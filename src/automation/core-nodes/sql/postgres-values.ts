import { types } from 'pg';
import { exactNumber, parseExact } from '#src/infra/text/exact-numbers.ts';

type Read = (text: string) => unknown;

const asTime: Read = (text) => text.replace(' ', 'T');
const asInstant: Read = (text) => text.replace(' ', 'T').replace(/\+00$/, 'Z');
/** JSON has neither NaN nor infinity. */
const asFloat: Read = (text) => (Number.isFinite(Number(text)) ? Number(text) : text);

/** By the oid of the type; all others stay text, numerics with all their digits. */
const readers: Readonly<Record<number, Read>> = {
  16: (text) => text === 't',
  17: (text) => Buffer.from(text.slice(2), 'hex').toString('base64'),
  20: exactNumber,
  21: Number,
  23: Number,
  26: Number,
  114: parseExact,
  700: asFloat,
  701: asFloat,
  1114: asTime,
  1184: asInstant,
  3802: parseExact,
};

/** The type declarations of the library describe this object as a function. */
const arrays = types.arrayParser as unknown as {
  create(text: string, read: (element: string) => unknown): { parse(): unknown[] };
};

/** The types of elements by those of arrays. */
const elements: Readonly<Record<number, number>> = {
  199: 114,
  1000: 16,
  1005: 21,
  1007: 23,
  1009: 25,
  1014: 1042,
  1015: 1043,
  1016: 20,
  1021: 700,
  1022: 701,
  1115: 1114,
  1182: 1082,
  1185: 1184,
  1231: 1700,
  2951: 2950,
  3807: 3802,
};

/** A value of Postgres as JSON: exact numbers, times in ISO 8601, bytes in base64. */
export function readPostgresValue(type: number, text: string): unknown {
  const element = elements[type];
  if (element !== undefined) return arrays.create(text, (each) => readPostgresValue(element, each)).parse();
  return readers[type]?.(text) ?? text;
}
