/** Characters that a browser ignores inside a URL or before its scheme: controls, white space, soft hyphens and zero-width characters. */
// oxlint-disable-next-line no-control-regex -- control characters are what the pattern removes
const ignored = /[\u0000-\u0020\u007f-\u00a0\u00ad\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u2064\u3000\ufeff]+/g;

const script = /(?:javascript|vbscript|livescript):/i;
const leadingData = /^data:/i;
/** A data URL inside of other text, such as JSON: a media type or a comma follows without white space. */
const innerData = /[^\w-]data:(?:[\w.+-]+\/[\w.+-]+|[\w.+;=/-]*,)/i;

/** True if a value contains a URL that would run or carry content: `javascript:`, `vbscript:`, `data:`, however it is spelled. */
export function holdsContentUrl(value: string): boolean {
  // Most values have no colon, and all of these URLs do.
  if (!value.includes(':')) return false;
  const bare = value.replace(ignored, '');
  return script.test(bare) || leadingData.test(bare) || innerData.test(value);
}

/**
 * A URL of our own origin as a path from its root, with query and fragment; a fragment alone stays unchanged. Null for all others. `origin`
 * is that of the page, `https://shop.example`.
 */
export function ownPath(value: string, origin: string): string | null {
  const text = value.trim();
  if (text === '') return null;
  if (/^#[\w.:-]*$/.test(text)) return text;
  const url = URL.parse(text, origin);
  if (url === null || url.origin !== origin || url.username !== '' || url.password !== '') return null;
  // `/.//host` has the path `//host`, which would refer to another host when it is parsed again.
  if (url.pathname.startsWith('//')) return null;
  return url.pathname + url.search + url.hash;
}

const linkSchemes = new Set(['http:', 'https:', 'mailto:', 'tel:']);

/** The allowed target of a link: any web page, a mail address or a telephone number; null otherwise. */
export function linkTarget(value: string, origin: string): string | null {
  const text = value.trim();
  const url = URL.parse(text, origin);
  return url !== null && linkSchemes.has(url.protocol) ? text : null;
}

/** Removing one copies the value, so their number is limited; a genuine URL has none. */
const maxComments = 100;

/** True if a value begins with a scheme other than those of links, also when white space, controls and comments are ignored. */
export function hasOtherScheme(value: string): boolean {
  if (!value.includes(':')) return false;
  // oxlint-disable-next-line no-control-regex -- controls are what the pattern removes
  let bare = value.replace(/[\u0000-\u0020]+/g, '');
  for (let comments = 0; ; comments += 1) {
    const begin = bare.indexOf('<!--');
    const end = begin < 0 ? -1 : bare.indexOf('-->', begin + 4);
    if (end < 0) break;
    if (comments === maxComments) return true;
    bare = bare.slice(0, begin) + bare.slice(end + 3);
  }
  const [scheme] = /^[a-z][a-z0-9.+-]*:/i.exec(bare) ?? [];
  return scheme !== undefined && !linkSchemes.has(scheme.toLowerCase());
}

/** The candidates of a `srcset` on our own origin; null when there are none. */
export function ownCandidates(value: string, origin: string): string | null {
  const kept = parseCandidates(value).flatMap(({ url, size: given }) => {
    const path = ownPath(url, origin);
    const size = path === null ? null : safeSize(given);
    return path === null || size === null ? [] : [`${path.replaceAll(',', '%2C')} ${size}`.trim()];
  });
  return kept.length === 0 ? null : kept.join(', ');
}

/** The width, height or density of a candidate as a browser reads it; null if it is invalid. */
function safeSize(text: string): string | null {
  if (text === '') return '';
  const [digits, unit] = [text.slice(0, -1), text.at(-1)];
  const isDensity = unit === 'x' && /^(?:\d+|\d*\.\d+)$/.test(digits);
  if (!isDensity && !/^\d+[wh]$/.test(text)) return null;
  const number = Number(digits);
  if (number === 0) return isDensity ? '' : null;
  // Outside of this range, numbers are written with an exponent.
  return number < 1e6 && number >= 1e-6 ? `${number}${unit}` : null;
}

/** Parsed as in the standard: a URL up to white space, then its size up to a comma. A comma at the end of the URL ends the candidate. */
function parseCandidates(srcset: string): { url: string; size: string }[] {
  const found: { url: string; size: string }[] = [];
  let at = 0;
  const read = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const [text = ''] = pattern.exec(srcset) ?? [];
    at += text.length;
    return text;
  };
  for (;;) {
    read(/[\s,]*/y);
    const url = read(/\S+/y);
    if (url === '') return found;
    found.push(url.endsWith(',') ? { url: withoutCommas(url), size: '' } : { url, size: read(/[^,]*/y).trim() });
  }
}

/** Removes trailing commas. A pattern would take quadratic time for many commas elsewhere. */
function withoutCommas(url: string): string {
  let end = url.length;
  while (url[end - 1] === ',') end -= 1;
  return url.slice(0, end);
}
