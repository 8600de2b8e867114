import { z } from 'zod';

const integer = z.coerce.number('Use a whole number.').int('Use a whole number.');

/** The query of a page-numbered list. */
export const pageQuery = z.object({
  page: integer.min(1).max(100_000).default(1),
  per_page: integer.min(1).max(100).default(25),
});

/** The same page in the graph's terms. */
export const pageVariables = ({ page, per_page: size }: z.output<typeof pageQuery>) => ({
  first: size,
  offset: (page - 1) * size,
});

/** `true` or `false`, also `1` or `0`. */
export const queryFlag = z
  .enum(['true', 'false', '1', '0'])
  .transform((value) => value === 'true' || value === '1')
  .optional();

/** `name[]=a&name[]=b`, or one value without brackets. */
export const queryList = <Item extends z.ZodType<unknown, string>>(item: Item) =>
  z.preprocess((value) => (typeof value === 'string' ? [value] : value), z.array(item).max(50)).optional();
