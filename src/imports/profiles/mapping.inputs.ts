import { z } from 'zod';

const columnName = z.string().min(1).max(191);
const short = z.string().max(191);
const value = z.string().min(1).max(10_000);

const caseTransforms = ['trim', 'upper', 'lower', 'strip_leading_zeros'] as const;

/** The parts of a date form; each letter stands for one part, however often it is repeated. */
export const dateParts = /YYYY|MM?|DD?|HH|mm|ss/g;

/** `DD.MM.YYYY`, `YYYYMMDD`, `D/M/YYYY HH:mm`. */
const dateForm = z
  .string()
  .max(40)
  .refine((form) => {
    const parts = (form.match(dateParts) ?? []).map(([letter]) => letter);
    const has = (letter: string): boolean => parts.includes(letter);
    const isWhole = ['Y', 'M', 'D'].every(has) && has('H') === has('m') && (has('m') || !has('s'));
    const others = form.replace(dateParts, '').replace(/[TZ]/g, '');
    return isWhole && new Set(parts).size === parts.length && !/[\p{L}\p{N}]/u.test(others);
  }, 'Use YYYY, MM or M, and DD or D, and for a time of day HH, mm and ss, such as DD.MM.YYYY.');

const numberForm = z
  .strictObject({
    decimal: z.enum(['.', ',']),
    /** The separator of groups of three digits; a number without groups is accepted as well. */
    group: z.enum(['.', ',', ' ', "'", '’', '\u00a0', '\u202f']).nullish(),
  })
  .refine(({ decimal, group }) => decimal !== group, 'Groups and decimals need separators of their own.');

const maxEntries = 1_000;
const lookup = z
  .record(short, short)
  .refine((entries) => Object.keys(entries).length <= maxEntries, `Use at most ${maxEntries} entries.`);

/** A change of a cell's text. None of them runs code of the profile, or takes longer than the text is long. */
const transform = z.union([
  z.enum(caseTransforms),
  z.strictObject({ replace: short.min(1), by: short }),
  z.strictObject({ lookup, otherwise: short.nullish() }),
  z.strictObject({ date: dateForm }),
  z.strictObject({ number: numberForm }),
]);
export type Transform = z.output<typeof transform>;

const changes = { default: value.nullish(), transforms: z.array(transform).max(10).nullish() };
const columns = z.array(columnName).min(1).max(16);

/** Where a field's value comes from: a column, several of them, or a constant for all rows. */
const source = z.union(
  [
    columnName,
    z.strictObject({ column: columnName, ...changes }),
    z.strictObject({ columns, separator: short.nullish(), ...changes }),
    z.strictObject({ columns, expression: z.string().min(1).max(10_000), ...changes }),
    z.strictObject({ value }),
  ],
  'Name a column, or give {column, default?, transforms?}, {columns, separator?, ...}, {columns, expression, ...} or {value}.',
);

export const mapping = z.record(z.string().max(63), source);
export type Mapping = z.output<typeof mapping>;
