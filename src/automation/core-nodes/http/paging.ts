import { z } from 'zod';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import { type JsonPath, valueAt } from './json-path.ts';

const path = z.union([z.string().min(1).max(256), z.array(z.string().min(1).max(256)).min(1).max(16)]);

const common = {
  /** The path of the list in each response; without it, the response is the list. */
  items: path.nullish(),
  max_pages: z.int().min(1).max(1_000).default(100),
  max_items: z.int().min(1).max(100_000).default(10_000),
  max_bytes: z
    .int()
    .min(1)
    .max(64 * 1024 * 1024)
    .default(16 * 1024 * 1024),
  on_limit: z.enum(['fail', 'stop']).default('fail'),
};
/** How a request says which page it asks for. */
const sent = (param: z.ZodType<JsonPath>) => ({
  param,
  in: z.enum(['query', 'body']).default('query'),
  has_more: path.nullish(),
});
const counted = { total: path.nullish() };

/** How the pages of a list follow one another. */
export const paging = z.discriminatedUnion('by', [
  z.strictObject({ by: z.literal('next_link'), link: path.nullish(), ...common }),
  z.strictObject({ by: z.literal('cursor'), cursor: path, ...sent(path), ...common }),
  z.strictObject({
    by: z.literal('offset'),
    start: z.int().min(0).default(0),
    ...sent(path.default('offset')),
    ...counted,
    ...common,
  }),
  z.strictObject({
    by: z.literal('page'),
    start: z.int().min(0).default(1),
    pages: path.nullish(),
    ...sent(path.default('page')),
    ...counted,
    ...common,
  }),
]);

export type Paging = z.output<typeof paging>;

/** The page to request: the first one as in the config, or one with another URL or parameter. */
export type Place = { url?: string; value?: string | number };

export interface Page {
  /** The URL that answered. */
  url: string;
  link: string;
  body: unknown;
  bytes: Uint8Array;
}

interface Progress {
  pages: number;
  items: number;
}

/** The value at an optional path; undefined if it does not exist. */
function at(body: unknown, path: JsonPath | null | undefined): unknown {
  if (path === null || path === undefined) return undefined;
  const found = valueAt(body, path);
  return 'value' in found ? found.value : undefined;
}

const describeValue = (value: unknown): string =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? `an object with ${
        Object.keys(value)
          .slice(0, 10)
          .map((name) => JSON.stringify(name.slice(0, 64)))
          .join(', ') || 'no members'
      }`
    : typeof value;

const written = (path: JsonPath): string => JSON.stringify(path);

/** The list of a page. A response without one is not an empty page: it may be an error with status 200. */
function findItems(body: unknown, path: JsonPath | null | undefined): unknown[] {
  const fail = (what: string): never => {
    throw new NodeError('PAGING_ITEMS', what);
  };
  if (path === null || path === undefined) {
    if (Array.isArray(body)) return body as unknown[];
    return fail(`The answer is ${describeValue(body)}, not a list; name the list's place in paging.items.`);
  }
  const found = valueAt(body, path);
  if ('missing' in found) {
    return fail(
      `The answer has no list at paging.items ${written(path)}: there is no ${JSON.stringify(found.missing)}. It is ${describeValue(body)}.`,
    );
  }
  if (found.value === null) return [];
  if (Array.isArray(found.value)) return found.value as unknown[];
  return fail(`The answer has ${describeValue(found.value)} at paging.items ${written(path)}, not a list.`);
}

/** The target of `rel="next"` in a Link header (RFC 8288). */
function nextLink(header: string): string | undefined {
  for (const [, target, parameters = ''] of header.matchAll(
    /<([^<>]*)>((?:\s*;\s*[\w*-]+\s*=\s*(?:"[^"]*"|[^\s,;"]*))*)/g,
  )) {
    const [, quoted, bare] = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s,;"]*))/i.exec(parameters) ?? [];
    if ((quoted ?? bare ?? '').toLowerCase().split(/\s+/).includes('next')) return target;
  }
  return undefined;
}

const isSamePlace = (link: URL, own: URL): boolean =>
  link.hostname === own.hostname &&
  link.protocol === 'http:' &&
  own.protocol === 'https:' &&
  link.port === '' &&
  own.port === '';

/** A link to follow. It must stay on the origin of the node's own URL, because the request carries its credential. */
function ownUrl(link: string, page: Page, own: URL): string {
  const next = URL.parse(link, page.url);
  if (!next) throw new NodeError('PAGING_LINK', 'The link to the next page is not a URL; correct paging.link.');
  // Servers behind a proxy that ends TLS write http links to themselves.
  if (isSamePlace(next, own)) next.protocol = 'https:';
  if (next.origin !== own.origin) {
    throw new NodeError(
      'PAGING_ORIGIN',
      `The link to the next page leads to ${next.host || next.protocol}; only ${own.host}, the host of the node's URL, is called.`,
    );
  }
  return next.href;
}

const isEnded = (config: { has_more?: JsonPath | null | undefined }, body: unknown): boolean =>
  [false, 0, '0', 'false', null].includes(at(body, config.has_more) as null);

const figure = (value: unknown): number | undefined => {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
};

/** The place of the page after this one; undefined after the last. */
function placeAfter(
  config: Paging,
  page: Page,
  own: URL,
  count: number,
  { pages, items }: Progress,
): Place | undefined {
  if (config.by === 'next_link') {
    const link = config.link ? at(page.body, config.link) : nextLink(page.link);
    if (link === undefined || link === null || link === '' || link === false) return undefined;
    if (typeof link !== 'string')
      throw new NodeError(
        'PAGING_LINK',
        `The link to the next page is ${describeValue(link)}, not text; correct paging.link.`,
      );
    return { url: ownUrl(link, page, own) };
  }
  if (isEnded(config, page.body)) return undefined;
  if (config.by === 'cursor') {
    const cursor = at(page.body, config.cursor);
    if (cursor === undefined || cursor === null || cursor === '' || cursor === false) return undefined;
    if (typeof cursor === 'string' || typeof cursor === 'number') return { value: cursor };
    throw new NodeError(
      'PAGING_CURSOR',
      `The cursor of the next page is ${describeValue(cursor)}; it must be text or a number.`,
    );
  }
  const total = figure(at(page.body, config.total));
  if (count === 0 || (total !== undefined && items >= total)) return undefined;
  if (config.by === 'offset') return { value: config.start + items };
  const last = figure(at(page.body, config.pages));
  return last !== undefined && pages >= last ? undefined : { value: config.start + pages };
}

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
  let place: Place = config.by === 'offset' || config.by === 'page' ? { value: config.start } : {};
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
    const next = placeAfter(config, page, own, found.length, { pages, items: items.length });
    if (next === undefined) return { items, pages, complete: true };
    // A server that ignores the parameter returns the first page forever.
    const key = JSON.stringify(next);
    const isRepeated = found.length > 0 && before !== undefined && Buffer.compare(before, page.bytes) === 0;
    if (seen.has(key) || isRepeated) {
      throw new NodeError(
        'PAGING_LOOP',
        'The answers do not go on: the same page came twice. Check the parameter that paging names.',
      );
    }
    seen.add(key);
    before = page.bytes;
    if (pages >= maxPages) return stopped(pages, limit(`${maxPages} pages`, 'max_pages'));
    place = next;
  }
}
