import { ValidationError } from '#src/infra/errors.ts';
import type { Cursors, KeyPage, TextPage } from '#src/infra/postgres/lists/keyset.ts';

export const defaultSize = 25;
export const maxSize = 100;
/** The database reads skipped rows one by one. */
export const maxOffset = 100_000;

/** Counts the rows of a list. Reads at most `most` of them and returns `most` if there are as many or more. */
export type Count = (most: number) => Promise<number>;

/** Totals are exact up to this number of rows. Each counted row is read, and pages by number end there. */
export const maxCounted = 100_000;

/** Descriptions of the arguments that all lists share. */
export const pageArgs = {
  first: { description: `Size of a page forwards, 1 to ${maxSize}; left out with \`last\`: ${defaultSize}.` },
  after: { description: 'A cursor of this list: the page begins after its row.' },
  last: { description: `Size of a page backwards, 1 to ${maxSize}; stands without \`first\`.` },
  before: { description: 'A cursor of this list: the page ends before its row.' },
};
export const offsetArg = {
  description: `Rows to pass over, at most ${maxOffset} of a longer list; prefer cursors, which cost the same on every page.`,
};

export interface PageArgs {
  first?: number | null;
  last?: number | null;
  before?: string | null;
  after?: string | null;
  /** Rows to skip first, for APIs that page by number. */
  offset?: number | null;
}

export interface PageOptions<Row> {
  /** False from the first row that would make the page too large; the page ends before that row, but has at least one row. */
  fits?: (row: Row) => boolean;
}

/**
 * A Relay page, keyset-paged: page 10,000 costs what page 1 does. The total is a function, so that it is counted only when
 * asked for, and cursors are written only when read.
 */
export async function pageByKey<Row, Key>(
  args: PageArgs,
  cursors: Cursors<Row, Key>,
  load: (page: KeyPage<Key>) => Promise<Row[]>,
  count: Count,
  { fits = () => true }: PageOptions<Row> = {},
) {
  const backwards = typeof args.last === 'number';
  if (backwards && typeof args.first === 'number') throw new ValidationError({ last: ['Ask for first or last.'] });
  const size = pageSize(backwards ? args.last : args.first, backwards ? 'last' : 'first');
  const after = readCursor(args.after, 'after', cursors);
  const before = readCursor(args.before, 'before', cursors);
  const skip = await pageOffset(args.offset, count);
  // One additional row shows whether there is a further page.
  const rows = await load({ take: size + 1, skip, backwards, after, before });
  const over = rows.findIndex((row, index) => index > 0 && !fits(row));
  const held = Math.min(size, over < 0 ? rows.length : over);
  const more = rows.length > held;
  rows.length = held;
  if (backwards) rows.reverse();
  const edges = rows.map((node) => new Edge(node, cursors));
  return {
    edges,
    pageInfo: {
      get startCursor() {
        return edges[0]?.cursor ?? null;
      },
      get endCursor() {
        return edges.at(-1)?.cursor ?? null;
      },
      hasNextPage: backwards ? before !== undefined || skip > 0 : more,
      hasPreviousPage: backwards ? more : after !== undefined || skip > 0,
    },
    totalCount: () => count(maxCounted),
  };
}

class Edge<Row> {
  readonly node: Row;
  readonly #cursors: Pick<Cursors<Row, never>, 'write'>;

  constructor(node: Row, cursors: Pick<Cursors<Row, never>, 'write'>) {
    this.node = node;
    this.#cursors = cursors;
  }

  get cursor(): string {
    return Buffer.from(this.#cursors.write(this.node)).toString('base64url');
  }
}

/** The bounds of one page of rows, newest first, for a Prisma loader. */
export interface IdPage {
  take: number;
  skip: number;
  orderBy: { id: 'asc' | 'desc' };
  /** To spread into a Prisma `where`. */
  beyond: { id?: { lt?: bigint; gt?: bigint } };
}

/** `pageByKey` for rows ordered by id, newest first, in terms of Prisma. */
export const pageById = <Row extends { id: bigint }>(
  args: PageArgs,
  load: (page: IdPage) => Promise<Row[]>,
  count: Count,
) =>
  pageByKey<Row, bigint>(
    args,
    idCursors,
    ({ take, skip, backwards, after: lt, before: gt }) => {
      const bounds = { ...(lt !== undefined && { lt }), ...(gt !== undefined && { gt }) };
      return load({
        take,
        skip,
        orderBy: { id: backwards ? 'asc' : 'desc' },
        beyond: Object.keys(bounds).length > 0 ? { id: bounds } : {},
      });
    },
    count,
  );

/** Cursors of rows that are ordered by id alone. */
export const idCursors: Cursors<{ id: bigint | number }, bigint> = {
  write: ({ id }) => `id:${id}`,
  read(text) {
    const digits = /^id:(\d{1,18})$/.exec(text)?.[1];
    return digits === undefined ? undefined : BigInt(digits);
  },
};

/** `pageByKey` for rows ordered by a unique text column, in terms of Prisma. */
export const pageByText = <Row>(
  args: PageArgs,
  toText: (row: Row) => string,
  load: (page: TextPage) => Promise<Row[]>,
  count: Count,
) =>
  pageByKey<Row, string>(
    args,
    textCursors(toText),
    ({ take, skip, backwards, after: gt, before: lt }) =>
      load({
        take,
        skip,
        direction: backwards ? 'desc' : 'asc',
        beyond: { ...(gt !== undefined && { gt }), ...(lt !== undefined && { lt }) },
      }),
    count,
  );

/** Percent-encoded, because a cursor's text is Latin-1. */
const textCursors = <Row>(toText: (row: Row) => string): Cursors<Row, string> => ({
  write: (row) => `text:${encodeURIComponent(toText(row))}`,
  read(cursor) {
    const encoded = /^text:([!-~]+)$/.exec(cursor)?.[1];
    return encoded === undefined ? undefined : decodeText(encoded);
  },
});

/** Decodes percent-encoded text. Returns undefined if the encoding is invalid or Postgres cannot store the text. */
export function decodeText(encoded: string): string | undefined {
  try {
    const text = decodeURIComponent(encoded);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}

/** A size over the maximum is refused rather than reduced, because a client would take the shorter page for the last one. */
function pageSize(asked: number | null | undefined, name: string): number {
  if (asked === null || asked === undefined) return defaultSize;
  if (asked < 1 || asked > maxSize) {
    throw new ValidationError({ [name]: [`Ask for 1 to ${maxSize}; use a cursor to go further.`] });
  }
  return asked;
}

/** Past the end of a list there are no rows to skip, so only a longer list refuses an offset that is too large. */
async function pageOffset(asked: number | null | undefined, count: Count): Promise<number> {
  const offset = asked ?? 0;
  if (offset < 0 || (offset > maxOffset && (await count(maxOffset + 1)) > maxOffset)) {
    throw new ValidationError({ offset: [`Skip 0 to ${maxOffset} rows; use a cursor to go further.`] });
  }
  return offset;
}

/** For cursors of text keys: the base64 of a signed cursor, which is base64 itself. */
const longestCursor = 4_000;

function readCursor<Key>(
  cursor: string | null | undefined,
  name: string,
  cursors: Pick<Cursors<never, Key>, 'read'>,
): Key | undefined {
  if (cursor === null || cursor === undefined) return undefined;
  const bytes = Buffer.from(cursor.slice(0, longestCursor), 'base64url');
  // Base64url has unused bits and decoders are lenient, so only the spelling that was written is accepted.
  const key = bytes.toString('base64url') === cursor ? cursors.read(bytes.toString('latin1')) : undefined;
  if (key === undefined)
    throw new ValidationError({ [name]: ['The cursor is not one this list gave out in this order.'] });
  return key;
}
