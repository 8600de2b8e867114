import { z } from 'zod';
import { isWithinDepth } from '#src/infra/json.ts';

export const savedViewLimits = { ofUser: 200, bytes: 16_384, depth: 16, columns: 100 };

const list = z.string().max(64).describe('The field of `Query` that reads the list, such as `runs`.');
const name = z
  .string()
  .trim()
  .min(1)
  .max(191)
  .describe("1 to 191 characters; unique among the user's views of the list.");

/** An object of JSON, whose members are checked against the list's own input. */
const members = z
  .unknown()
  .refine((value) => isWithinDepth(value, savedViewLimits.depth), {
    message: `Nest at most ${savedViewLimits.depth} levels.`,
    abort: true,
  })
  .refine((value) => value == null || Buffer.byteLength(JSON.stringify(value)) <= savedViewLimits.bytes, {
    message: `At most ${savedViewLimits.bytes} bytes of JSON.`,
    abort: true,
  })
  .refine((value) => value == null || (typeof value === 'object' && !Array.isArray(value)), 'Give an object.');

const filter = members.nullish().describe('As the argument `filter` of the list takes it; empty where it is left out.');
const orderBy = members
  .nullish()
  .describe("As the argument `orderBy` of the list takes it; null for the list's own order.");
const columns = z
  .array(z.string().min(1).max(191))
  .max(savedViewLimits.columns)
  .nullish()
  .describe(`What a client shows, in its own words and order; at most ${savedViewLimits.columns}.`);
const shared = z.boolean().nullish().describe('Whether every user of the tenant sees it; only its owner changes it.');

/** Arguments of a list, as values of JSON: enums by name, dates as text. */
export interface ListArguments {
  list: string;
  filter?: unknown;
  orderBy?: unknown;
}

export const createSavedViewInput = z.object({ list, name, filter, orderBy, columns, shared });

export const updateSavedViewInput = z.object({
  name: name.nullish(),
  filter: filter.describe('Replaces the filter; left out, it stays.'),
  orderBy: orderBy.describe("Replaces the order, null by the list's own; left out, it stays."),
  columns: columns.describe('Replaces the columns; left out, they stay.'),
  shared,
});
