/** Writes a text so that it can stand in a URL. */
export type Encode = (text: string) => string;

const escaped = (character: string): string =>
  /^[!'()*]$/.test(character)
    ? `%${character.charCodeAt(0).toString(16).toUpperCase()}`
    : encodeURIComponent(character);

/** Leaves the characters `kept`, and what is percent-encoded already. A lone surrogate becomes a replacement character. */
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

/** For `allow_reserved` in a path: its segments may change, but it stays a path. */
export const encodePath = encodeExcept(":/@!$&'()*+,;=");

/** For `allow_reserved` in a query: characters that separate parameters are encoded, so that none can be added. */
export const encodeQuery = encodeExcept(":/?@!$'()*,;=");

/** The name of a parameter: `$filter` is read by servers that do not decode names. */
export const encodeName = (name: string): string => encodeText(name).replaceAll('%24', '$');

export const asIs: Encode = (text) => text;
