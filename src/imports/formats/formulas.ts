/**
 * Text that a spreadsheet would take for a formula is written with an apostrophe before it, which reading takes off again. Text that
 * begins with apostrophes before such a character gets one more, so that it comes back as it was.
 */
const formula = /^'+[=+\-@\t\r]/;
const apostrophe = 39;

/** The text that was written. */
export const withoutApostrophe = (text: string): string =>
  text.charCodeAt(0) === apostrophe && formula.test(text) ? text.slice(1) : text;

export const withApostrophe = (text: string): string => (/^'*[=+\-@\t\r]/.test(text) ? `'${text}` : text);

/** The same of a text in SQL. The first character is looked at as a number, which costs a tenth of a regular expression. */
export const withApostropheSql = (text: string): string =>
  `CASE WHEN ascii(${text}) IN (39, 43, 45, 61, 64, 9, 13) AND ${text} ~ E'^\\'*[=+@\\t\\r-]' THEN '''' || ${text} ELSE ${text} END`;
