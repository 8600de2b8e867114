/** Encodes a text for use in a URL. */
export type Encode = (text: string) => string;

const escaped = (character: string): string =>
  /^[!'()*]$/.test(character)
    ? `%${character.charCodeAt(0).toString(16).toUpperCase()}`
    : encodeURIComponent(character);

/**
 * Encodes everything except the characters in `kept` and text that is already percent-encoded. A lone surrogate becomes a replacement
 * character.
 */
const encodeExcept =
  (kept: string): Encode =>
  (text) =>
    text
      .toWellFormed()
      .replaceAll(/%[0-9A-Fa-f]{2}|[^A-Za-z0-9._~-]/gu, (found) =>
        found.length === 3 || kept.includes(found) ? found : escaped(found),
      );

/** Encodes everything but the unreserved characters of RFC 3986. */
export const encodeText: Encode = (text) => encodeURIComponent(text.toWellFormed()).replaceAll(/[!'()*]/g, escaped);

/** For `allow_reserved` in a path: a value may add segments, but it cannot begin a query or a fragment. */
export const encodePath = encodeExcept(":/@!$&'()*+,;=");

/** For `allow_reserved` in a query: separators of parameters are encoded, so that a value cannot add a parameter. */
export const encodeQuery = encodeExcept(":/?@!$'()*,;=");

/** Encodes the name of a parameter. `$` stays, because some servers read `$filter` without decoding names. */
export const encodeName = (name: string): string => encodeText(name).replaceAll('%24', '$');

export const asIs: Encode = (text) => text;
