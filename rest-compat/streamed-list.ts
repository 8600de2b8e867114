import { Readable } from 'node:stream';
import { NotFoundError } from '#src/infra/errors.ts';
import { type Answer, jsonAnswer } from './answer.ts';
import { itemsSchema, type JsonSchema, objectSchema, property, type Reply } from './replies.ts';
import type { StreamedList } from './route.ts';

/** Rows per page; each page is read when the client has received the one before, so that no list is completely in memory. */
const pageSize = 100;

/** Further arguments of the connection. */
export const firstPage: { first: number; after: string | null } = { first: pageSize, after: null };

interface ConnectionPage {
  edges: { node: unknown }[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

/** `{data}` with all nodes of a connection: selected with `edges { node } pageInfo { hasNextPage endCursor }`. */
export const streamedListReply = ({ of }: StreamedList): Reply => ({
  status: 200,
  body: (found) => ({ data: listRows(found as ConnectionPage, of) }),
  schema(root) {
    const rows = itemsSchema(root);
    const items = of === undefined ? rows['items'] : property(rows['items'] as JsonSchema, of);
    return objectSchema({ data: { type: 'array', items } });
  },
});

const listRows = ({ edges }: ConnectionPage, of: string | undefined): unknown[] =>
  edges.map(({ node }) => (of === undefined ? node : (node as Record<string, unknown>)[of]));

/**
 * Sends every row. `load` runs the route's document for one page. A failure on the first page is the response; a
 * failure on a later one closes the connection, so that no client mistakes part of a list for all of it.
 */
export async function answerStreamedList(
  streamedList: StreamedList,
  load: (page: typeof firstPage) => Promise<unknown>,
): Promise<Answer> {
  const first = (await load(firstPage)) as ConnectionPage | null;
  if (first === null) throw new NotFoundError();
  if (!first.pageInfo.hasNextPage) return jsonAnswer(200, streamedListReply(streamedList).body(first, undefined));
  const content = Readable.from(pages(first, streamedList, load), { objectMode: false });
  return { status: 200, type: 'application/json; charset=utf-8', content };
}

async function* pages(
  first: ConnectionPage,
  { of }: StreamedList,
  load: (page: typeof firstPage) => Promise<unknown>,
): AsyncGenerator<string> {
  let before = '{"data":[';
  for (let page = first; ;) {
    const rows = listRows(page, of).map((row) => JSON.stringify(row));
    yield before + rows.join(',');
    before = ',';
    const { hasNextPage, endCursor } = page.pageInfo;
    if (!hasNextPage) break;
    page = (await load({ ...firstPage, after: endCursor })) as ConnectionPage;
    // The rows of the page have been deleted in the meantime.
    if (page.edges.length === 0) break;
  }
  yield ']}';
}
