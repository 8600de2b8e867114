import { z } from 'zod';
import type { JsonPath } from './json-path.ts';
import { pagePosition } from './page-position.ts';

const path = z.union([z.string().min(1).max(256), z.array(z.string().min(1).max(256)).min(1).max(16)]);

const common = {
  /** The path of the list in each response; without it, the response is the list. */
  items: path.nullish(),
  max_pages: z.int().min(1).max(1_000).default(100),
  max_items: z.int().min(1).max(100_000).default(10_000),
  max_bytes: z
    .int()
    .min(1)
    .max(64 * 1024 * 1024)
    .default(16 * 1024 * 1024),
  on_limit: z.enum(['fail', 'stop']).default('fail'),
  /** Reads only the page at this position. */
  position: pagePosition.optional(),
};
/** The ways in which a request names the page that it asks for. */
const sent = (param: z.ZodType<JsonPath>) => ({
  param,
  in: z.enum(['query', 'body']).default('query'),
  has_more: path.nullish(),
});
const counted = { total: path.nullish() };

/** The ways in which a list is paged. */
export const paging = z.discriminatedUnion('by', [
  z.strictObject({ by: z.literal('next_link'), link: path.nullish(), ...common }),
  z.strictObject({ by: z.literal('cursor'), cursor: path, ...sent(path), ...common }),
  z.strictObject({
    by: z.literal('offset'),
    start: z.int().min(0).default(0),
    ...sent(path.default('offset')),
    ...counted,
    ...common,
  }),
  z.strictObject({
    by: z.literal('page'),
    start: z.int().min(0).default(1),
    pages: path.nullish(),
    ...sent(path.default('page')),
    ...counted,
    ...common,
  }),
]);

/** The same for calls of described APIs, which can also ask for the items after the last one. */
export const callPaging = z.discriminatedUnion('by', [
  paging,
  z.strictObject({ by: z.literal('search_after'), key: path, ...sent(path), ...common }),
]);

export type Paging = z.output<typeof callPaging>;
