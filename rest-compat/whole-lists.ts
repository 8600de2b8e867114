import { Readable } from 'node:stream';
import { NotFoundError } from '#src/infra/errors.ts';
import { type Answer, jsonAnswer } from './answer.ts';
import { itemsOf, type JsonSchema, objectOf, property, type Reply } from './replies.ts';

/** Rows per page; each page is read when the client has received the one before, so no list is held in memory as a whole. */
const pageSize = 100;

export interface Whole {
  /** The property that represents each row, if not the row itself. */
  of?: string;
}

/** Further arguments of the connection. */
export const firstPage: { first: number; after: string | null } = { first: pageSize, after: null };

interface WholePage {
  edges: { node: unknown }[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

/** `{data}` with all nodes of a connection: selected with `edges { node } pageInfo { hasNextPage endCursor }`. */
export const wholeReply = ({ of }: Whole): Reply => ({
  status: 200,
  body: (found) => ({ data: rowsOf(found as WholePage, of) }),
  schema(root) {
    const rows = itemsOf(root);
    const items = of === undefined ? rows['items'] : property(rows['items'] as JsonSchema, of);
    return objectOf({ data: { type: 'array', items } });
  },
});

const rowsOf = ({ edges }: WholePage, of: string | undefined): unknown[] =>
  edges.map(({ node }) => (of === undefined ? node : (node as Record<string, unknown>)[of]));

/**
 * Sends every row. `load` runs the route's document for one page. A failure on the first page is the response; a
 * failure on a later one closes the connection, so that no client mistakes part of a list for all of it.
 */
export async function answerWhole(whole: Whole, load: (page: typeof firstPage) => Promise<unknown>): Promise<Answer> {
  const first = (await load(firstPage)) as WholePage | null;
  if (first === null) throw new NotFoundError();
  if (!first.pageInfo.hasNextPage) return jsonAnswer(200, wholeReply(whole).body(first, undefined));
  const content = Readable.from(pages(first, whole, load), { objectMode: false });
  return { status: 200, type: 'application/json; charset=utf-8', content };
}

async function* pages(
  first: WholePage,
  { of }: Whole,
  load: (page: typeof firstPage) => Promise<unknown>,
): AsyncGenerator<string> {
  let before = '{"data":[';
  for (let page = first; ;) {
    const rows = rowsOf(page, of).map((row) => JSON.stringify(row));
    yield before + rows.join(',');
    before = ',';
    const { hasNextPage, endCursor } = page.pageInfo;
    if (!hasNextPage) break;
    page = (await load({ ...firstPage, after: endCursor })) as WholePage;
    // The rows of the page have been deleted in the meantime.
    if (page.edges.length === 0) break;
  }
  yield ']}';
}
