import { z } from 'zod';

/** An integer in a query, in plain digits: other texts that JavaScript converts to numbers (`1e2`, ` 1`, a list of one) are refused. */
export function wholeNumber(from: number, to: number = Number.MAX_SAFE_INTEGER) {
  const range = to === Number.MAX_SAFE_INTEGER ? `from ${from}` : `from ${from} to ${to}`;
  const error = `Use a whole number ${range}.`;
  return z.preprocess(readDigits, z.int({ error, abort: true }).min(from).max(to));
}

const readDigits = (value: unknown): unknown =>
  typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : null;

/** The page size of a list that is paged by a cursor. */
export const cursorSize = wholeNumber(1, 100).default(50);

/** `true` or `false`, also `1` or `0`. */
export const queryFlag = z
  .enum(['true', 'false', '1', '0'])
  .transform((value) => value === 'true' || value === '1')
  .optional();

/** `name[]=a&name[]=b`, or one value without brackets. */
export const queryList = <Item extends z.ZodType<unknown, string>>(item: Item) =>
  z.preprocess((value) => (typeof value === 'string' ? [value] : value), z.array(item).max(50)).optional();

/** The integer id of an object, in a query. In a body it is a number. */
export const databaseId = wholeNumber(0);
