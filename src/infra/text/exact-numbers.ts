/**
 * A double represents whole numbers below 2^53, and those other numbers that print as they were read. Any other number in incoming JSON is
 * read as text, so that no digit changes (docs/decisions/numbers-keep-their-digits.md).
 */

const longRun = 16;
/** An exponent of three digits at the end of a number: in a UUID, other characters follow `e123`. */
const largeExponent = /[eE][+-]?\d{3,}(?:[\s,\]}]|$)/;
const numbers = /-?\d[\d.eE+-]*/g;
const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const parts = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
/** No double is written with more characters; the bound keeps the comparison short. */
const longest = 400;

/** JSON text in which numbers that no double represents are strings; the same text if there are none. Invalid JSON stays invalid. */
export function exactNumbers(text: string): string {
  // Parsing takes ten times as long as these two scans, and a reviver would take several times as long as parsing.
  if (!hasLongRun(text, 0, text.length) && !largeExponent.test(text)) return text;
  const kept: string[] = [];
  let copied = 0;
  for (let at = 0; at < text.length;) {
    const quote = text.indexOf('"', at);
    const end = quote < 0 ? text.length : quote;
    const between = end - at < '1e400'.length ? '' : text.slice(at, end);
    if (hasLongRun(between, 0, between.length) || largeExponent.test(between)) {
      kept.push(text.slice(copied, at), between.replaceAll(numbers, quoteUnlessCarried));
      copied = end;
    }
    at = endOfString(text, end + 1);
  }
  return kept.join('') + text.slice(copied);
}

/** A number as a member's name is invalid JSON, and must stay invalid. */
const quoteUnlessCarried = (token: string, at: number, between: string): string =>
  isCarried(token) || !jsonNumber.test(token) || /^\s*:/.test(between.slice(at + token.length, at + token.length + 100))
    ? token
    : `"${token}"`;

const isDigit = (code: number): boolean => code >= 46 && code <= 57 && code !== 47;

/**
 * True if the text contains a run of at least `longRun` digits and points. Examines every sixteenth character, and the characters around
 * it if it is a digit.
 */
function hasLongRun(text: string, from: number, to: number): boolean {
  for (let at = from + longRun - 1; at < to; at += longRun) {
    if (!isDigit(text.codePointAt(at) as number)) continue;
    let first = at;
    while (first > from && isDigit(text.codePointAt(first - 1) as number)) first -= 1;
    while (at + 1 < to && at + 1 - first < longRun && isDigit(text.codePointAt(at + 1) as number)) at += 1;
    if (at + 1 - first >= longRun) return true;
  }
  return false;
}

/** `JSON.parse` of `exactNumbers`. Throws a SyntaxError. */
export const parseExact = (text: string): unknown => JSON.parse(exactNumbers(text));

/** The value of a number's text: a number, or the text if no double represents it. */
export const exactNumber = (token: string): number | string => (isCarried(token) ? Number(token) : token);

function isCarried(token: string): boolean {
  // Fifteen digits survive in a double.
  if (token.length < 16 && !/e/i.test(token)) return true;
  if (token.length > longest) return false;
  const value = Number(token);
  if (/^-?\d+$/.test(token)) return Number.isSafeInteger(value);
  const given = canonical(token);
  if (!Number.isFinite(value)) return false;
  if (given === canonical(String(value))) return true;
  // Senders that write every double with 17 digits mean the double: 19.989999999999998 is 19.99.
  const digits = significantDigits(given);
  return digits > 0 && digits <= doubleDigits && given === canonical(value.toPrecision(digits));
}

/** Enough to tell any two doubles apart. */
const doubleDigits = 17;
const significantDigits = (given: string): number => given.replace(/^-/, '').indexOf('e');

/** The same text for the same value, whatever zeros and exponent it is written with. */
function canonical(token: string): string {
  const [, sign = '', whole = '', fraction = '', power = '0'] = parts.exec(token) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  return `${sign}${significant}e${Number(power) - fraction.length + digits.length - significant.length}`;
}

/** The position after the quote that closes a string; the end of the text if there is none. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start); at >= 0; at = text.indexOf('"', at + 1)) {
    let escape = at;
    while (text[escape - 1] === '\\') escape -= 1;
    if ((at - escape) % 2 === 0) return at + 1;
  }
  return text.length;
}
