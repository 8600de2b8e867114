import { z } from 'zod';

export const formats = ['csv', 'json', 'ndjson', 'xml', 'xlsx'] as const;
export const encodings = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const;
export const quantityBases = ['physical', 'available'] as const;
export const modes = ['full', 'delta'] as const;
export const absences = ['keep', 'zero'] as const;
export const transforms = ['trim', 'upper', 'lower', 'strip_leading_zeros'] as const;

export type Transform = (typeof transforms)[number];

/** One of several texts that could not be names of an enum. */
const oneOf = (values: readonly string[]) =>
  z.string().refine((text) => values.includes(text), `Use one of ${values.join(' ')}`);

const columnName = z.string().min(1).max(191);
const value = z.string().min(1).max(10_000);

/** Where a field's value comes from: a column, or a constant for all rows. */
const source = z.union(
  [
    columnName,
    z.strictObject({
      column: columnName,
      default: value.nullish(),
      transforms: z.array(z.enum(transforms)).max(10).nullish(),
    }),
    z.strictObject({ value }),
  ],
  'Name a column, or give {column, default?, transforms?} or {value}.',
);

export const mapping = z.record(z.string().max(63), source);
export type Mapping = z.output<typeof mapping>;

const name = z.string().trim().min(1).max(191);
const target = z.string().trim().min(1).max(63);
const delimiter = z
  .string()
  .length(1, 'Use one character.')
  .refine((text) => !/["\r\n\0\ufeff]/.test(text), 'Use a character such as "," or ";" or a tab.');

/** Rows that a file may have rejected: a number, or a share of its rows. */
const maxRejected = z
  .string()
  .regex(/^(\d{1,7}|(100|\d{1,2}(\.\d{1,4})?)%)$/, 'Use a number of rows such as 100, or a share such as 2.5%.');

const settings = {
  format: z.enum(formats),
  /** By default, columns are named as the fields. */
  mapping: mapping.nullish(),
  recordPath: z.string().min(1).max(1_000).nullish(),
  sheet: z.string().min(1).max(191).nullish(),
  delimiter: delimiter.nullish(),
  encoding: oneOf(encodings).nullish(),
  decimalSeparator: oneOf(['.', ',']).nullish(),
  quantityBasis: z.enum(quantityBases).nullish(),
  mode: z.enum(modes).nullish(),
  absent: z.enum(absences).nullish(),
  asOf: z.date().nullish(),
  maxRejected: maxRejected.nullish(),
};

export const createImportProfileInput = z.object({ name, target, ...settings });

export const updateImportProfileInput = z.object({
  name: name.nullish(),
  target: target.nullish(),
  ...settings,
  format: settings.format.nullish(),
});

/** A profile as a job stores it. */
export const keptProfile = z.object({
  format: z.enum(formats),
  mapping: mapping.nullable(),
  recordPath: z.string().nullable(),
  sheet: z.string().nullable(),
  delimiter: z.string(),
  encoding: z.string(),
  decimalSeparator: z.string(),
  quantityBasis: z.enum(quantityBases),
  mode: z.enum(modes),
  absent: z.enum(absences),
  asOf: z.string().nullable(),
  // Jobs from before this member existed lack it.
  maxRejected: z.string().nullable().default(null),
});

export type KeptProfile = z.output<typeof keptProfile>;

export const previewInput = z.object({
  uploadId: z.string(),
  rows: z.int().min(1).max(100).nullish(),
});

export const proposalInput = z.object({ uploadId: z.string(), target: target.nullish() });
