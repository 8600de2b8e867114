import { z } from 'zod';
import { asList } from '#src/automation/node-api/list-fields.ts';
import { NodeError } from '#src/automation/node-api/node-error.ts';

export const formatLimits = {
  /** Characters read or written. */
  text: 8 * 1024 * 1024,
  rows: 100_000,
  /** The columns of a CSV text; a sheet of a workbook can have no more. */
  columns: 16_384,
  cells: 1_000_000,
  /** Levels of JSON and XML. */
  depth: 100,
} as const;

export const format = z.enum(['csv', 'json', 'xml', 'xlsx', 'zip']);

export const formatOptions = z
  .object({
    delimiter: z.string().length(1).default(','),
    header: z.boolean().default(true),
    sheet: z
      .string()
      .regex(/^[^[\]:*?/\\]{1,31}$/, 'must have at most 31 characters, and none of []:*?/\\.')
      .nullish(),
    root: z.string().max(128).default('root'),
    lists: z.preprocess(asList, z.array(z.string().min(1).max(512)).max(1_000)).prefault([]),
  })
  .prefault({});

export type FormatOptions = z.output<typeof formatOptions>;

export const tooLarge = (what: string): NodeError => new NodeError('TOO_LARGE', what);

export const unwritable = (reason: string): NodeError => new NodeError('UNWRITABLE', reason);

/** Throws when the value nests deeper than the limit for JSON and XML; stops recursing there. */
export function checkDepth(value: unknown, depth = 0): void {
  if (typeof value !== 'object' || value === null) return;
  if (depth >= formatLimits.depth) throw tooLarge(`The data nests more than ${formatLimits.depth} levels.`);
  for (const member of Object.values(value)) checkDepth(member, depth + 1);
}
