const maxPath = 2_048;
/** Splits a path into literal text and the places of parameters, which alternate. */
const place = /(\{[^{}]*\})/;
const unsendable = /[\s\p{Cc}#]/gu;

/**
 * Writes the path of an operation as the path of a call: it begins with a slash, and characters that no URL has are percent-encoded. The
 * places of parameters stay as they are.
 */
export function writeCallPath(path: string): string {
  const rooted = path === '' || path.startsWith('/') ? path : `/${path}`;
  return rooted
    .toWellFormed()
    .split(place)
    .map((piece, index) => (index % 2 === 0 ? piece.replaceAll(unsendable, encodeURIComponent) : piece))
    .join('');
}

/** Says why a path cannot be that of a call; undefined if it can. */
export function findPathFault(path: string): string | undefined {
  const written = writeCallPath(path);
  if (written.length > maxPath) return `Its path has more than ${maxPath} characters.`;
  const odd = written.split(place).find((piece, index) => index % 2 === 1 && /[\s\p{Cc}#\ufffd]/u.test(piece));
  return odd === undefined
    ? undefined
    : 'Its path has a parameter whose name has spaces or other signs that no path has.';
}
