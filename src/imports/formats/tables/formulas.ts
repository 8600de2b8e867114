/**
 * Text that a spreadsheet would take for a formula is written with a leading apostrophe, which is removed when the file is read. Text
 * that begins with apostrophes before such a character gets one more, so that a round trip does not change it.
 */
const formula = /^'+[=+\-@\t\r]/;
const apostrophe = 39;

/** The text that was written. */
export const withoutApostrophe = (text: string): string =>
  text.charCodeAt(0) === apostrophe && formula.test(text) ? text.slice(1) : text;

export const withApostrophe = (text: string): string => (/^'*[=+\-@\t\r]/.test(text) ? `'${text}` : text);

/** The same in SQL. It compares the code of the first character, which costs a tenth of a regular expression. */
export const withApostropheSql = (text: string): string =>
  `CASE WHEN ascii(${text}) IN (39, 43, 45, 61, 64, 9, 13) AND ${text} ~ E'^\\'*[=+@\\t\\r-]' THEN '''' || ${text} ELSE ${text} END`;
