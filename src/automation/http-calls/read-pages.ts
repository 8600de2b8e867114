import { NodeError } from '#src/automation/node-api/node-error.ts';
import { findItems, type Page, type Place, placeAfter } from './next-place.ts';
import { firstPlace } from './page-source.ts';
import type { Paging } from './paging-forms.ts';

const limit = (what: string, option: string): NodeError =>
  new NodeError(
    'PAGING_LIMIT',
    `The list has more than ${what}. Narrow the request, raise paging.${option}, or set paging.on_limit to "stop" to take what fits.`,
  );

/**
 * Reads all pages of a list, within the limits of the config. `complete` is false if a limit was reached and `on_limit` is `stop`. Throws a
 * NodeError for a response that is not a page, a link to another origin, and pages that form a loop.
 */
export async function readPages(
  config: Paging,
  own: URL,
  read: (place: Place, number: number) => Promise<Page>,
): Promise<{ items: unknown[]; pages: number; complete: boolean }> {
  const { max_pages: maxPages, max_items: maxItems, max_bytes: maxBytes, on_limit: onLimit } = config;
  const items: unknown[] = [];
  const seen = new Set<string>();
  let size = 0;
  let before: Uint8Array | undefined;
  let place = firstPlace(config);
  const stopped = (pages: number, error: NodeError) => {
    if (onLimit === 'fail') throw error;
    return { items: items.slice(0, maxItems), pages, complete: false };
  };
  for (let pages = 1; ; pages += 1) {
    const page = await read(place, pages);
    const found = findItems(page.body, config.items);
    size += page.bytes.byteLength;
    if (size > maxBytes) return stopped(pages - 1, limit(`${maxBytes} bytes`, 'max_bytes'));
    for (const item of found) items.push(item);
    if (items.length > maxItems) return stopped(pages, limit(`${maxItems} items`, 'max_items'));
    const next = placeAfter(config, page, own, found, { pages, items: items.length });
    if (next === undefined) return { items, pages, complete: true };
    // A server that ignores the parameter returns the first page forever.
    const key = JSON.stringify(next);
    const isRepeated = found.length > 0 && before !== undefined && Buffer.compare(before, page.bytes) === 0;
    if (seen.has(key) || isRepeated) {
      throw new NodeError(
        'PAGING_LOOP',
        'Paging does not advance: the same page came twice. Check the parameter that paging names.',
      );
    }
    seen.add(key);
    before = page.bytes;
    if (pages >= maxPages) return stopped(pages, limit(`${maxPages} pages`, 'max_pages'));
    place = next;
  }
}
