import { ValidationError } from '#src/infra/errors.ts';
import { isStorable, unstorable } from '#src/infra/json.ts';
import type { Database } from '#src/infra/postgres/database.ts';
import type { Cursors } from '#src/infra/postgres/lists/keyset.ts';
import {
  countOfList,
  type Order,
  type OrderedList,
  pageOfList,
  type Place,
  type PlacedRow,
  readPlace,
  type RunStatement,
} from '#src/infra/postgres/lists/ordered-list.ts';
import { type Count, decodeText, type PageArgs, pageByKey } from './connections.ts';

/** The source of an ordered list's pages. */
export interface OrderedRead<Field extends string, Filter extends object, Row> {
  filter: Filter;
  order: Order<Field>;
  query: RunStatement;
  /** Counts the rows, if a list knows a faster way than reading them. */
  count?: Count;
  /** Loads rows by id, in any order. */
  load: (ids: string[]) => Promise<Row[]>;
  rowId: (row: Row) => string;
}

/**
 * A Relay page of a list in the requested order. The places are read first and the rows of the page by their ids, so that a row's fields
 * are selected as everywhere else. A row that is deleted in between is left out, and paging continues after it.
 */
export async function pageInOrder<Field extends string, Filter extends object, Row>(
  list: OrderedList<Field, Filter>,
  page: PageArgs,
  { filter, order, query, load, rowId, count = countBy(list, filter, query) }: OrderedRead<Field, Filter, Row>,
) {
  for (const [name, value] of Object.entries(filter)) {
    if (!isStorable(value)) throw new ValidationError({ [name]: [unstorable] });
  }
  const { edges, ...rest } = await pageByKey<PlacedRow, Place>(
    page,
    orderedCursors(list, order),
    (keys) => query<PlacedRow>(pageOfList(list, filter, order, keys)),
    count,
  );
  const rows = edges.length > 0 ? await load(edges.map(({ node }) => node.rowId)) : [];
  const byId = new Map(rows.map((row) => [rowId(row), row]));
  return {
    ...rest,
    edges: edges.flatMap((edge) => {
      const node = byId.get(edge.node.rowId);
      return node === undefined ? [] : [{ node, cursor: edge.cursor }];
    }),
  };
}

const countBy =
  <Filter>(list: OrderedList<never, Filter>, filter: Filter, query: RunStatement): Count =>
  async (most) =>
    Number((await query<{ count: number | bigint }>(countOfList(list, filter, most)))[0]?.count);

/** Runs statements over the tables that no tenant owns. */
export const globalQuery =
  ({ global }: Pick<Database, 'global'>): RunStatement =>
  ({ text, values = [] }) =>
    global.$queryRawUnsafe(text, ...(values as unknown[]));

/** Cursors name their order, and a list in another order refuses them. Percent-encoded, because a cursor's text is Latin-1. */
function orderedCursors<Field extends string>(
  list: OrderedList<Field, never>,
  order: Order<Field>,
): Cursors<PlacedRow, Place> {
  const name = `${order.field} ${order.direction} `;
  return {
    write: ({ place }) => `${name}${encodeURIComponent(JSON.stringify(place))}`,
    read: (text) => (text.startsWith(name) ? readPlace(list, order, parse(text.slice(name.length))) : undefined),
  };
}

function parse(encoded: string): unknown {
  try {
    return JSON.parse(decodeText(encoded) ?? '');
  } catch {
    return undefined;
  }
}
