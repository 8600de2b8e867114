import { ValidationError } from './platform/errors.ts';

const defaultSize = 25;
const maxSize = 100;

export interface PageArgs {
  first?: number | null;
  last?: number | null;
  before?: string | null;
  after?: string | null;
}

/** What a loader needs for one page: at most `take` rows, beyond the cursor, in the given order. */
export interface IdPage {
  take: number;
  orderBy: { id: 'asc' | 'desc' };
  /** To spread into a Prisma `where`. */
  beyond: { id?: { lt?: bigint; gt?: bigint } };
}

/**
 * A Relay page of rows newest first, keyset-paged by id: page 10,000 costs what page 1 does. The total is a function, so
 * that it is counted only when asked for.
 */
export async function pageById<Row extends { id: bigint }>(
  args: PageArgs,
  load: (page: IdPage) => Promise<Row[]>,
  totalCount: () => Promise<number>,
) {
  const backwards = typeof args.last === 'number';
  const size = pageSize(backwards ? args.last : args.first, backwards ? 'last' : 'first');
  const lt = readCursor(args.after);
  const gt = readCursor(args.before);
  const bounds = { ...(lt !== undefined && { lt }), ...(gt !== undefined && { gt }) };
  // One row more than asked for says whether there is a further page.
  const found = await load({
    take: size + 1,
    orderBy: { id: backwards ? 'asc' : 'desc' },
    beyond: Object.keys(bounds).length > 0 ? { id: bounds } : {},
  });
  const more = found.length > size;
  const rows = found.slice(0, size);
  if (backwards) rows.reverse();
  const edges = rows.map((node) => ({ node, cursor: writeCursor(node.id) }));
  return {
    edges,
    pageInfo: {
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
      hasNextPage: backwards ? gt !== undefined : more,
      hasPreviousPage: backwards ? more : lt !== undefined,
    },
    totalCount,
  };
}

/** Sizes over the maximum are cut to it, as a list's length is the server's to bound. */
function pageSize(asked: number | null | undefined, name: string): number {
  if (asked === null || asked === undefined) return defaultSize;
  if (asked < 1) throw new ValidationError({ [name]: ['Ask for at least 1.'] });
  return Math.min(asked, maxSize);
}

const writeCursor = (id: bigint): string => Buffer.from(`id:${id}`).toString('base64url');

function readCursor(cursor: string | null | undefined): bigint | undefined {
  if (cursor === null || cursor === undefined) return undefined;
  const match = /^id:(\d{1,19})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'));
  if (!match?.[1]) throw new ValidationError({ cursor: ['The cursor is not one this list gave out.'] });
  return BigInt(match[1]);
}
