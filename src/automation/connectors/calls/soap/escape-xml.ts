const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  // A parser would turn these into line feeds or spaces.
  '\r': '&#13;',
  '\n': '&#10;',
  '\t': '&#9;',
};

/** Escapes text for an element. Line feeds and tabs stay. */
export const escapeXml = (text: string): string =>
  text.toWellFormed().replaceAll(/[&<>"\r]/g, (character) => entities[character] ?? '');

export const escapeAttribute = (text: string): string =>
  text.toWellFormed().replaceAll(/[&<>"\r\n\t]/g, (character) => entities[character] ?? '');
