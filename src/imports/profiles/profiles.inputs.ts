import { z } from 'zod';
import { globalId, graphTypes } from '#src/infra/graph-types.ts';
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

export const fileFormat = z.enum(formats).register(graphTypes, { type: 'ImportFormat' });
const quantityBasis = z.enum(quantityBases).register(graphTypes, { type: 'QuantityBasis' });
const mode = z.enum(modes).register(graphTypes, { type: 'ImportMode' });
const absent = z.enum(absences).register(graphTypes, { type: 'ImportAbsence' });

export const createImportProfileInput = z.object({
  name: name.describe('Unique in the tenant, 1 to 191 characters.'),
  target: target.describe('What is imported: `stock`, `products`.'),
  format: fileFormat.describe('What the file is written in.'),
  mapping: mapping
    .nullish()
    .describe(
      'By field: `"column"`, `{column, default?, transforms?}`, `{columns, separator?}`, `{columns, expression}` or `{value}`. Left out: columns are named as fields.',
    ),
  recordPath: z
    .string()
    .min(1)
    .max(1_000)
    .nullish()
    .describe('Where records are in JSON and XML; left out: in the root.'),
  namespaces: namespaces
    .nullish()
    .describe(
      'Namespaces of XML by the prefixes that `recordPath` and `mapping` use, `""` for names without one; left out: names are as the file writes them.',
    ),
  sheet: z.string().min(1).max(191).nullish().describe('The sheet of a workbook; left out: its first.'),
  delimiter: delimiter.nullish().describe('What separates the cells of CSV; left out: a comma.'),
  quote: quote.nullish().describe('What stands around cells of CSV; left out: `"`. Empty: quotes are text.'),
  header: z
    .boolean()
    .nullish()
    .describe(
      'Whether the first row of CSV and workbooks names the columns; left out: true. Else they are named `1`, `2` and so on.',
    ),
  skipLines: z
    .int()
    .min(0)
    .max(maxSkippedLines)
    .nullish()
    .describe('Lines of CSV, or rows of a sheet, before the header; up to 1000, left out: 0.'),
  encoding: encoding
    .nullish()
    .describe('`utf-8` where left out, `utf-16le`, `utf-16be`, `windows-1252`, `iso-8859-15`, `cp850` or `macintosh`.'),
  decimalSeparator: oneOf(['.', ',']).nullish().describe('`.` where left out, or `,`.'),
  quantityBasis: quantityBasis.nullish().describe('Left out: `PHYSICAL`.'),
  mode: mode.nullish().describe('Left out: `FULL`.'),
  absent: absent.nullish().describe('Left out: `KEEP`.'),
  asOf: z.date().nullish().describe('The moment that stock is counted at; left out: now.'),
  maxRejected: maxRejected
    .nullish()
    .describe(
      'A file that rejects more rows is refused as a whole: a number such as `100`, or a share such as `2.5%`; left out: any number.',
    ),
});

export const updateImportProfileInput = z.object({
  name: name.nullish().describe('1 to 191 characters; null leaves it as it is.'),
  target: target.nullish().describe('Null leaves it as it is.'),
  mapping: mapping.nullish().describe('Null: columns are named as fields; left out, it stays.'),
  recordPath: z.string().min(1).max(1_000).nullish().describe('Null clears it; left out, it stays.'),
  namespaces: namespaces.nullish().describe('Null clears them; left out, they stay.'),
  sheet: z.string().min(1).max(191).nullish().describe('Null clears it; left out, it stays.'),
  delimiter: delimiter.nullish().describe('Null leaves it as it is.'),
  quote: quote.nullish().describe('Null leaves it as it is.'),
  header: z.boolean().nullish().describe('Null leaves it as it is.'),
  skipLines: z.int().min(0).max(maxSkippedLines).nullish().describe('Null leaves it as it is.'),
  encoding: encoding.nullish().describe('Null leaves it as it is.'),
  decimalSeparator: oneOf(['.', ',']).nullish().describe('Null leaves it as it is.'),
  quantityBasis: quantityBasis.nullish().describe('Null leaves it as it is.'),
  mode: mode.nullish().describe('Null leaves it as it is.'),
  absent: absent.nullish().describe('Null leaves it as it is.'),
  asOf: z.date().nullish().describe('Null: now; left out, it stays.'),
  maxRejected: maxRejected.nullish().describe('Null: any number; left out, it stays.'),
  format: fileFormat.nullish().describe('Null leaves it as it is.'),
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
  uploadId: globalId.describe('The upload whose file to read; it stays to be imported.'),
  rows: z.int().min(1).max(100).nullish().describe('At most so many rows; 1 to 100, left out: 100.'),
});

/** What a profile says of a file, before it has a name. */
const unsavedProfile = createImportProfileInput.omit({ name: true }).register(graphTypes, {
  type: 'ImportSettingsInput',
  description: 'An import profile that is not saved.',
});

export type UnsavedProfile = z.output<typeof unsavedProfile>;

export const settingsPreviewInput = previewInput.extend({
  settings: unsavedProfile.nullish().describe('What a profile would say, in place of one.'),
});

export const proposalInput = z.object({
  uploadId: globalId.describe('The upload whose file to look at; it stays to be imported.'),
  target: target.nullish().describe('The target to import into; its fields are looked for among the columns.'),
});
