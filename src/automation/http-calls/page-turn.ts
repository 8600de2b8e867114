import { createHash } from 'node:crypto';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import { findItems, ownUrl, type Page, type Place, placeAfter } from './next-place.ts';
import type { LaterPosition, PagePosition } from './page-position.ts';
import { firstPlace } from './page-source.ts';
import type { Paging } from './paging-forms.ts';

/** A list with more pages probably never ends. */
const maxPages = 10_000;

/**
 * Reads the page at a position. `next` is the position of the page after it, null after the last one. Throws a NodeError for a response
 * that is not a page, a link to another origin, and pages that form a loop.
 */
export async function readPageAt(
  config: Paging,
  own: URL,
  position: PagePosition,
  read: (place: Place) => Promise<Page>,
): Promise<{ items: unknown[]; next: PagePosition | null }> {
  const before = position === 'first' ? undefined : position;
  const page = await read(before ? placeAt(config, own, before) : firstPlace(config));
  const items = findItems(page.body, config.items);
  const progress = { pages: (before?.pages ?? 0) + 1, items: (before?.items ?? 0) + items.length };
  const place = placeAfter(config, page, own, items, progress);
  if (place === undefined) return { items, next: null };
  const content = hash(page.bytes);
  // A server that ignores the parameter returns the first page forever.
  const isRepeated = items.length > 0 && before?.page === content;
  const reached = hash(JSON.stringify(place));
  if (isRepeated || before?.mark === reached) {
    throw new NodeError(
      'PAGING_LOOP',
      'Paging does not advance: the same page came twice. Check the parameter that paging names.',
    );
  }
  if (progress.pages >= maxPages)
    throw new NodeError('PAGING_LIMIT', `The list has more than ${maxPages} pages. Narrow the request.`);
  return { items, next: { ...place, ...progress, page: content, ...moveMark(before, reached) } as PagePosition };
}

/** Brent's algorithm finds a cycle of places of any length, with the memory of one place. */
function moveMark(before: LaterPosition | undefined, reached: string): Pick<LaterPosition, 'mark' | 'steps' | 'power'> {
  if (!before) return { mark: reached, steps: 0, power: 1 };
  const { mark, steps, power } = before;
  return steps + 1 >= power ? { mark: reached, steps: 0, power: power * 2 } : { mark, steps: steps + 1, power };
}

/** The place of a position. A position may come from outside, so its link must keep to the origin of the node's own URL. */
function placeAt({ by }: Paging, own: URL, { url, value }: LaterPosition): Place {
  if (by === 'next_link' && url !== undefined) return { url: ownUrl(url, own.href, own) };
  if (by !== 'next_link' && value !== undefined) return { value };
  throw new NodeError(
    'PAGING_POSITION',
    'The position belongs to a list that is paged in another way; begin with "first".',
  );
}

const hash = (content: Uint8Array | string): string =>
  createHash('sha256').update(content).digest().subarray(0, 12).toString('base64url');
