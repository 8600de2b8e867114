import { defaultSize, type PageArgs, pageByKey } from '#src/graphql/connections.ts';
import { ValidationError } from '#src/platform/errors.ts';
import type { KeyPage } from '#src/platform/keyset.ts';
import type { CursorBounds, SignedCursors } from '#src/platform/signed-cursors.ts';

export interface SignedPageArgs extends PageArgs {
  /** A page's `nextCursor` or `prevCursor`, for faces that page by one cursor. `first` is its size. */
  cursor?: string | null;
}

/**
 * `pageByKey` over rows newest first by id, whose cursors are signed for `bounds`. Beside Relay's cursors, which stand at a
 * row, a page has two that also say which way they go: null at the newest and at the oldest end.
 */
export async function pageBySignedId<Row extends { id: number }>(
  signer: SignedCursors,
  bounds: CursorBounds,
  { cursor, ...given }: SignedPageArgs,
  load: (page: KeyPage<bigint>) => Promise<Row[]>,
  totalCount: () => Promise<number>,
) {
  const sign = (way: Way, id: bigint | number) => signer.sign(bounds, `${way}:${id}`);
  const read = (text: string, ways: readonly Way[]): Place | undefined => {
    const [, way, id] = /^(at|next|prev):(\d{1,18})$/.exec(signer.open(bounds, text) ?? '') ?? [];
    return id !== undefined && ways.includes(way as Way) ? { way: way as Way, id: BigInt(id) } : undefined;
  };
  const cursors = {
    write: ({ id }: { id: number | bigint }) => sign('at', id),
    read: (text: string) => read(text, ['at'])?.id,
  };

  let args: PageArgs = given;
  let from: Place | undefined;
  if (cursor != null) {
    if (given.after != null || given.before != null || given.last != null || given.offset != null)
      throw new ValidationError({ cursor: ['A cursor stands alone: leave out after, before, last and offset.'] });
    from = read(cursor, ['next', 'prev']);
    if (!from) throw new ValidationError({ cursor: ['The cursor is not one this list gave out.'] });
    const place = Buffer.from(cursors.write(from)).toString('base64url');
    args =
      from.way === 'next'
        ? { first: given.first ?? null, after: place }
        : { last: given.first ?? defaultSize, before: place };
  }
  const page = await pageByKey<Row, bigint>(args, cursors, load, totalCount);
  const { hasNextPage, hasPreviousPage } = page.pageInfo;
  // A page that came out empty goes back to the row it was asked from, so that row is within.
  const newest = page.edges[0]?.node.id ?? (from && from.id - 1n);
  const oldest = page.edges.at(-1)?.node.id ?? (from && from.id + 1n);
  return {
    ...page,
    nextCursor: hasNextPage && oldest !== undefined ? sign('next', oldest) : null,
    prevCursor: hasPreviousPage && newest !== undefined ? sign('prev', newest) : null,
  };
}

type Way = 'at' | 'next' | 'prev';
interface Place {
  way: Way;
  id: bigint;
}
