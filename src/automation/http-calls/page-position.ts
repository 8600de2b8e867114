import { z } from 'zod';

const scalar = z.union([z.string().max(4_096), z.number(), z.boolean(), z.null()]);

/** The position of a page after the first one. It carries what is needed to find the page, and to notice that pages repeat. */
const laterPosition = z.strictObject({
  url: z.string().min(1).max(8_192).optional(),
  value: z.union([z.string().max(4_096), z.number(), z.array(scalar).min(1).max(32)]).optional(),
  /** The numbers of pages and items before this page. */
  pages: z.int().min(1),
  items: z.int().min(0),
  /** The hash of the previous page. */
  page: z.string().max(64),
  /** The state of Brent's algorithm: the hash of a place that must not come again, and the steps until the next place replaces it. */
  mark: z.string().max(64),
  steps: z.int().min(0),
  power: z.int().min(1),
});
export type LaterPosition = z.output<typeof laterPosition>;

/** `first`, or the `next` of the page before. */
export const pagePosition = z.union(
  [z.literal('first'), laterPosition],
  'must be "first", or the output `next` of the page before.',
);
export type PagePosition = z.output<typeof pagePosition>;
