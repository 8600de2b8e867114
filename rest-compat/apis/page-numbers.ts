import { z } from 'zod';
import { wholeNumber } from '#rest/parameters.ts';
import { integer, itemsSchema, objectSchema, one } from '#rest/replies.ts';
import type { Paging } from '#rest/rest-api.ts';
import { maxOffset } from '#src/graphql/paging/connections.ts';
import { ValidationError } from '#src/infra/errors.ts';

const query = z.object({
  page: wholeNumber(1).default(1),
  per_page: wholeNumber(1, 100).default(25),
});
type Numbered = z.output<typeof query>;

interface Connection {
  totalCount?: number;
  edges: { node: unknown }[];
  pageInfo?: { hasNextPage: boolean };
}

/**
 * `?page=2&per_page=25` and `{data, meta}`. A connection that selects `totalCount` is answered with `total` and `last_page`;
 * one that selects `pageInfo { hasNextPage }` instead is never counted, and says `has_more`.
 */
export const pageNumbers: Paging = {
  query: () => query,
  page(given) {
    const { page, per_page: size } = given as Numbered;
    const offset = (page - 1) * size;
    if (offset > maxOffset)
      throw new ValidationError({ page: ['The page lies too deep; narrow the list with its filters.'] });
    return { first: size, offset };
  },
  reply: (at) => ({
    status: 200,
    body(found, given) {
      const { totalCount, edges, pageInfo } = one({ at }).body(found, given) as Connection;
      const { page: current_page, per_page } = given as Numbered;
      const extent =
        totalCount === undefined
          ? { has_more: pageInfo?.hasNextPage }
          : { total: totalCount, last_page: Math.max(1, Math.ceil(totalCount / per_page)) };
      return { data: edges.map(({ node }) => node), meta: { current_page, per_page, ...extent } };
    },
    schema(root) {
      const connection = one({ at }).schema(root) ?? {};
      const isCounted = 'totalCount' in (connection['properties'] as object);
      const extent = isCounted ? { total: integer, last_page: integer } : { has_more: { type: 'boolean' } };
      const meta = objectSchema({ current_page: integer, per_page: integer, ...extent });
      return objectSchema({ data: itemsSchema(connection), meta });
    },
  }),
};
