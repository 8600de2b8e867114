import { NodeError } from '#src/automation/node-api/node-error.ts';
import { type JsonPath, valueAt } from './json-path.ts';
import type { Paging } from './paging-forms.ts';
import type { Answer } from './read-answer.ts';

/** The page to request: the first one as in the config, or one with another URL or parameter. */
export type Place = { url?: string; value?: Position };

/** A place is a list if a search is sorted by several members. */
type Position = string | number | readonly (string | number | boolean | null)[];

export interface Page {
  /** The URL that answered. */
  url: string;
  link: string;
  body: unknown;
  bytes: Uint8Array;
}

export const toPage = ({ url, headers, body: bytes }: Answer, body: unknown): Page => {
  const link = headers['link'];
  return { url, link: Array.isArray(link) ? link.join(', ') : (link ?? ''), body, bytes };
};

export interface Progress {
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
    : value === null
      ? 'null'
      : Array.isArray(value)
        ? 'a list'
        : typeof value;

const written = (path: JsonPath): string => JSON.stringify(path);

/** The list of a page. A response without one is not an empty page: it may be an error with status 200. */
export function findItems(body: unknown, path: JsonPath | null | undefined, option = 'paging.items'): unknown[] {
  const fail = (what: string): never => {
    throw new NodeError('PAGING_ITEMS', what);
  };
  if (path === null || path === undefined) {
    if (Array.isArray(body)) return body as unknown[];
    return fail(`The answer is ${describeValue(body)}, not a list; name the list's place in ${option}.`);
  }
  const found = valueAt(body, path);
  if ('missing' in found) {
    return fail(
      `The answer has no list at ${option} ${written(path)}: there is no ${JSON.stringify(found.missing)}. It is ${describeValue(body)}.`,
    );
  }
  if (found.value === null) return [];
  if (Array.isArray(found.value)) return found.value as unknown[];
  return fail(`The answer has ${describeValue(found.value)} at ${option} ${written(path)}, not a list.`);
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
export function ownUrl(link: string, base: string, own: URL): string {
  const next = URL.parse(link, base);
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

const isScalar = (value: unknown): boolean => value === null || ['string', 'number', 'boolean'].includes(typeof value);

/** The place after the last item; undefined after an empty page. */
function placeOfLast(key: JsonPath, last: unknown): Place | undefined {
  if (last === undefined) return undefined;
  const value = at(last, key);
  if (typeof value === 'string' || typeof value === 'number') return { value };
  if (Array.isArray(value) && value.length > 0 && value.every(isScalar)) return { value };
  throw new NodeError(
    'PAGING_CURSOR',
    `The last item has ${describeValue(value)} at ${written(key)}; the place of the next page must be text, a number or a list of these.`,
  );
}

/** The place of the page after this one; undefined after the last. */
export function placeAfter(
  config: Paging,
  page: Page,
  own: URL,
  found: readonly unknown[],
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
    return { url: ownUrl(link, page.url, own) };
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
  if (config.by === 'search_after') return placeOfLast(config.key, found.at(-1));
  const total = figure(at(page.body, config.total));
  if (found.length === 0 || (total !== undefined && items >= total)) return undefined;
  if (config.by === 'offset') return { value: config.start + items };
  const last = figure(at(page.body, config.pages));
  return last !== undefined && pages >= last ? undefined : { value: config.start + pages };
}
