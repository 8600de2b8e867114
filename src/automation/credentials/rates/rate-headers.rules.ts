type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** The longest time for which an answer can stop all requests with a credential. */
export const maxClosedMs = 3_600_000;
/** A reset above this is a time in seconds since 1970, and one above `epochMs` a time in milliseconds since 1970. */
const epochSeconds = 1_000_000_000;
const epochMs = 1_000_000_000_000;
/** Shopify's buckets drain by at least two requests a second. */
const drainMs = 1_000;

/**
 * Reads for how many milliseconds an answer asks not to send further requests; undefined if it does not ask for a pause. Servers send
 * malformed headers, so anything but a plain number or date is ignored, and the result is never longer than `maxClosedMs`.
 */
export function readClosedMs(status: number, headers: Headers, now: number): number | undefined {
  const after = status === 429 || status === 503 ? readRetryAfter(one(headers['retry-after']), now) : undefined;
  const ms = after ?? fromStructured(headers) ?? fromNumbered(headers, now) ?? fromBucket(headers);
  return ms !== undefined && ms > 0 ? Math.min(ms, maxClosedMs) : undefined;
}

const one = (value: string | string[] | undefined): string => [value].flat()[0]?.trim().slice(0, 1_000) ?? '';

const readNumber = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,15}(\.\d{1,9})?$/.test(text) ? Number(text) : undefined;

/** Seconds, or an HTTP date (RFC 9110, 10.2.3). */
function readRetryAfter(text: string, now: number): number | undefined {
  const seconds = readNumber(text);
  if (seconds !== undefined) return seconds * 1_000;
  const at = /^[A-Z][a-z]{2},? /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : at - now;
}

/** Seconds from now, or a time since 1970 in seconds or milliseconds. */
function readReset(text: string | undefined, now: number): number | undefined {
  const value = readNumber(text);
  if (value === undefined) return undefined;
  if (value > epochMs) return value - now;
  return value > epochSeconds ? value * 1_000 - now : value * 1_000;
}

/**
 * Reads `RateLimit: "default";r=0;t=30`, the form of the IETF draft since its eighth version, and the earlier form
 * `limit=100, remaining=0, reset=30`. If several policies are used up, the longest pause counts.
 */
function fromStructured(headers: Headers): number | undefined {
  const text = [headers['ratelimit']].flat().join(', ').slice(0, 1_000);
  if (text === '') return undefined;
  const old = Object.fromEntries(text.split(',').map((part) => part.split('=', 2).map((side) => side.trim())));
  if (old['remaining'] === '0') return inMs(readNumber(old['reset']));
  const used = text.split(',').flatMap((item) => {
    const given = new Map(
      item.split(';').map((part) => part.split('=', 2).map((side) => side.trim()) as [string, string]),
    );
    return given.get('r') === '0' ? (inMs(readNumber(given.get('t'))) ?? []) : [];
  });
  return used.length === 0 ? undefined : Math.max(...used);
}

const inMs = (seconds: number | undefined): number | undefined => (seconds === undefined ? undefined : seconds * 1_000);

/** `RateLimit-Remaining` and `-Reset`, and the same with `X-`, as GitHub and many others write them. */
function fromNumbered(headers: Headers, now: number): number | undefined {
  for (const prefix of ['ratelimit', 'x-ratelimit', 'x-rate-limit']) {
    if (readNumber(one(headers[`${prefix}-remaining`])) === 0) return readReset(one(headers[`${prefix}-reset`]), now);
  }
  return undefined;
}

/** `X-Shopify-Shop-Api-Call-Limit: 40/40`: the bucket is full. */
function fromBucket(headers: Headers): number | undefined {
  const [, used, size] = /^(\d{1,6})\/(\d{1,6})$/.exec(one(headers['x-shopify-shop-api-call-limit'])) ?? [];
  return used !== undefined && Number(used) >= Number(size) && Number(size) > 0 ? drainMs : undefined;
}
