import { z } from 'zod';
import { mapping } from './mapping.inputs.ts';

export const formats = ['csv', 'json', 'ndjson', 'xml', 'xlsx'] as const;
export const encodings = [
  'utf-8',
  'utf-16le',
  'utf-16be',
  'windows-1252',
  'iso-8859-15',
  'cp850',
  'macintosh',
] as const;
/** Other names of encodings. ISO-8859-1 is read as Windows-1252, which has the same characters and more, as browsers do. */
const encodingAliases: Record<string, string> = {
  utf8: 'utf-8',
  'us-ascii': 'utf-8',
  cp1252: 'windows-1252',
  latin1: 'windows-1252',
  'iso-8859-1': 'windows-1252',
  latin9: 'iso-8859-15',
  'latin-9': 'iso-8859-15',
  ibm850: 'cp850',
  'dos-850': 'cp850',
  'mac-roman': 'macintosh',
  macroman: 'macintosh',
  'x-mac-roman': 'macintosh',
};
export const quantityBases = ['physical', 'available'] as const;
export const modes = ['full', 'delta'] as const;
export const absences = ['keep', 'zero'] as const;

/** One of several texts that could not be names of an enum. */
const oneOf = (values: readonly string[]) =>
  z.string().refine((text) => values.includes(text), `Use one of ${values.join(' ')}`);

const name = z.string().trim().min(1).max(191);
const target = z.string().trim().min(1).max(63);
const delimiter = z
  .string()
  .length(1, 'Use one character.')
  .refine((text) => !/["\r\n\0\ufeff]/.test(text), 'Use a character such as "," or ";" or a tab.');
/** Empty where quotes are text like any other. */
const quote = z.string().regex(/^[!-/:-@[-`{-~]?$/, 'Use one character such as " or \', or an empty text for none.');

/** By any of its names, in small or capital letters. */
const encoding = z
  .string()
  .transform((name) => encodingAliases[name.toLowerCase()] ?? name.toLowerCase())
  .pipe(oneOf(encodings));

/** Lines before the header, at most: titles and the date of an export. */
const maxSkippedLines = 1_000;

/** Rows that a file may have rejected: a number, or a share of its rows. */
const maxRejected = z
  .string()
  .regex(/^(\d{1,7}|(100|\d{1,2}(\.\d{1,4})?)%)$/, 'Use a number of rows such as 100, or a share such as 2.5%.');

/** By the prefixes that paths of the profile use; "" is that of elements without a prefix. */
const namespaces = z
  .record(
    z.string().regex(/^(?:[\p{L}_][\p{L}\p{N}_-]{0,62})?$/u, 'Use a prefix such as g, or "" for names without one.'),
    z.string().min(1).max(1_000),
  )
  .refine((entries) => Object.keys(entries).length <= 32, 'Use at most 32 namespaces.');

const settings = {
  format: z.enum(formats),
  /** By default, columns are named as the fields. */
  mapping: mapping.nullish(),
  recordPath: z.string().min(1).max(1_000).nullish(),
  namespaces: namespaces.nullish(),
  sheet: z.string().min(1).max(191).nullish(),
  delimiter: delimiter.nullish(),
  quote: quote.nullish(),
  header: z.boolean().nullish(),
  skipLines: z.int().min(0).max(maxSkippedLines).nullish(),
  encoding: encoding.nullish(),
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
  // Jobs from before these members existed lack them.
  maxRejected: z.string().nullable().default(null),
  quote: z.string().default('"'),
  header: z.boolean().default(true),
  namespaces: namespaces.nullable().default(null),
  skipLines: z.number().default(0),
});

export type KeptProfile = z.output<typeof keptProfile>;

export const previewInput = z.object({
  uploadId: z.string(),
  rows: z.int().min(1).max(100).nullish(),
});

export const proposalInput = z.object({ uploadId: z.string(), target: target.nullish() });
