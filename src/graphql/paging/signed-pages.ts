import { ValidationError } from '#src/infra/errors.ts';
import type { KeyPage } from '#src/infra/postgres/lists/keyset.ts';
import type { CursorBounds, SignedCursors } from '#src/infra/signing/signed-cursors.ts';
import { type Count, defaultSize, type PageArgs, pageByKey, type PageOptions } from './connections.ts';

interface SignedPageArgs extends PageArgs {
  /** A page's `nextCursor` or `prevCursor`, for APIs that page by one cursor. `first` is its size. */
  cursor?: string | null;
}

/**
 * `pageByKey` for rows ordered by a text, with cursors that are signed for `bounds`. Besides Relay's cursors, which name a row, a page has
 * two that also name a direction; they are null at the first and at the last row.
 */
export async function pageBySignedText<Row>(
  signer: SignedCursors,
  bounds: CursorBounds,
  { cursor, ...given }: SignedPageArgs,
  toText: (row: Row) => string,
  load: (page: KeyPage<string>) => Promise<Row[]>,
  count: Count,
  options?: Pick<PageOptions<Row>, 'fits'>,
) {
  const sign = (way: PageDirection, text: string) => signer.sign(bounds, `${way}:${text}`);
  const read = (signed: string, ways: readonly PageDirection[]): Place | undefined => {
    const [, way, text] = /^(at|next|prev):(.+)$/s.exec(signer.open(bounds, signed) ?? '') ?? [];
    return text !== undefined && ways.includes(way as PageDirection) ? { way: way as PageDirection, text } : undefined;
  };
  const cursors = {
    write: (row: Row) => sign('at', toText(row)),
    read: (signed: string) => read(signed, ['at'])?.text,
  };

  let args: PageArgs = given;
  let from: Place | undefined;
  if (cursor != null) {
    if (given.after != null || given.before != null || given.last != null || given.offset != null) {
      throw new ValidationError({ cursor: ['A cursor stands alone: leave out after, before, last and offset.'] });
    }
    from = read(cursor, ['next', 'prev']);
    if (!from) throw new ValidationError({ cursor: ['The cursor is not one this list gave out.'] });
    const place = Buffer.from(sign('at', from.text)).toString('base64url');
    args =
      from.way === 'next'
        ? { first: given.first ?? null, after: place }
        : { last: given.first ?? defaultSize, before: place };
  }
  const page = await pageByKey<Row, string>(args, cursors, load, count, options);
  const { edges, pageInfo } = page;
  const [first, last] = [edges[0], edges.at(-1)].map((edge) => (edge ? toText(edge.node) : from?.text));
  return {
    ...page,
    nextCursor: pageInfo.hasNextPage && last !== undefined ? sign('next', last) : null,
    prevCursor: pageInfo.hasPreviousPage && first !== undefined ? sign('prev', first) : null,
  };
}

type PageDirection = 'at' | 'next' | 'prev';
interface Place {
  way: PageDirection;
  text: string;
}

/** A page's two directional cursors, for a connection's fields: Pothos passes the page typed with its Relay members only. */
export const readPageCursors = (page: object): { nextCursor: string | null; prevCursor: string | null } =>
  page as { nextCursor: string | null; prevCursor: string | null };
