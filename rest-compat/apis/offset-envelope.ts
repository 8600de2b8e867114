import { z } from 'zod';
import { wholeNumber } from '#rest/parameters.ts';
import { integer, itemsSchema, objectSchema, one } from '#rest/replies.ts';
import type { Paging } from '#rest/rest-api.ts';

const window = z.object({ limit: wholeNumber(1, 100).default(25), offset: wholeNumber(0).default(0) });
/** The largest number that the graph accepts. No list is as long. */
const maxRows = 2 ** 31 - 1;
type Window = z.output<typeof window>;

interface Connection {
  totalCount: number;
  edges: { node: unknown }[];
}

/**
 * `?limit=25&offset=50&order=created_at.desc` and `{items, total, limit, offset}`, of a connection that selects `totalCount`.
 * The fields of `order` are the values of the connection's order enum in lower case.
 */
export const offsetEnvelope: Paging = {
  query(list) {
    if (!list.order) return window;
    const { fields, byDefault } = list.order;
    const orders = fields.flatMap((field) => [`${field}.asc`, `${field}.desc`]);
    return window.extend({ order: z.enum(orders, `Use one of ${orders.join(', ')}.`).default(byDefault) });
  },
  page(given) {
    const { limit: first, order, ...asked } = given as Window & { order?: string };
    const offset = Math.min(asked.offset, maxRows);
    if (order === undefined) return { first, offset };
    const [field = '', direction = ''] = order.split('.');
    return { first, offset, orderBy: { field: field.toUpperCase(), direction: direction === 'asc' ? 'ASC' : 'DESC' } };
  },
  reply: (at) => ({
    status: 200,
    body(found, given) {
      const { totalCount: total, edges } = one({ ...(at !== undefined && { at }) }).body(found, given) as Connection;
      const { limit, offset } = given as Window;
      return { items: edges.map(({ node }) => node), total, limit, offset };
    },
    schema: (root) =>
      objectSchema({
        items: itemsSchema(one({ ...(at !== undefined && { at }) }).schema(root) ?? {}),
        total: integer,
        limit: integer,
        offset: integer,
      }),
  }),
};
