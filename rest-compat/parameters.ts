import { z } from 'zod';

/** An integer of a query, in plain digits: what else JavaScript takes for a number (`1e2`, ` 1`, a list of one) is a mistake. */
export function wholeNumber(from: number, to: number = Number.MAX_SAFE_INTEGER) {
  const range = to === Number.MAX_SAFE_INTEGER ? `from ${from}` : `from ${from} to ${to}`;
  const error = `Use a whole number ${range}.`;
  return z.preprocess(readDigits, z.int({ error, abort: true }).min(from).max(to));
}

const readDigits = (value: unknown): unknown =>
  typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : null;

/** Rows of a list that is paged by a cursor. */
export const cursorSize = wholeNumber(1, 100).default(50);

/** `true` or `false`, also `1` or `0`. */
export const queryFlag = z
  .enum(['true', 'false', '1', '0'])
  .transform((value) => value === 'true' || value === '1')
  .optional();

/** `name[]=a&name[]=b`, or one value without brackets. */
export const queryList = <Item extends z.ZodType<unknown, string>>(item: Item) =>
  z.preprocess((value) => (typeof value === 'string' ? [value] : value), z.array(item).max(50)).optional();

/** The integer that REST knows an object by, in a query. A body says it as a number. */
export const databaseId = wholeNumber(0);
