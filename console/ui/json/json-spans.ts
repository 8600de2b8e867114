/** A value within a JSON text, from `start` up to `end`, and its name or index in its parent. */
export interface Span {
  key: string | number | null;
  start: number;
  end: number;
}

const quote = 34;
const backslash = 92;
const openBrace = 123;
const closeBrace = 125;
const openBracket = 91;
const closeBracket = 93;
const comma = 44;

export const isContainer = (text: string, { start }: Span): boolean => {
  const first = text.charCodeAt(start);
  return first === openBrace || first === openBracket;
};

/** The whole text as a value. */
export const wholeSpan = (text: string): Span => ({ key: null, start: skipSpace(text, 0), end: text.trimEnd().length });

/**
 * The members of an object or array in a valid JSON text, without parsing them: 2 MB are scanned in about 10 ms, and numbers keep their
 * digits.
 */
export function membersOf(text: string, { start, end }: Span): Span[] {
  const isObject = text.charCodeAt(start) === openBrace;
  const members: Span[] = [];
  let at = skipSpace(text, start + 1);
  while (at < end - 1) {
    let key: string | number = members.length;
    if (isObject) {
      const keyEnd = endOfString(text, at);
      key = stringOf(text.slice(at, keyEnd));
      at = skipSpace(text, skipSpace(text, keyEnd) + 1);
    }
    const valueEnd = endOfValue(text, at);
    members.push({ key, start: at, end: valueEnd });
    // The comma, and what surrounds it.
    at = skipSpace(text, skipSpace(text, valueEnd) + 1);
  }
  return members;
}

/** The text that a string of JSON stands for. */
export const stringOf = (literal: string): string =>
  literal.includes('\\') ? (JSON.parse(literal) as string) : literal.slice(1, -1);

function skipSpace(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) <= 32) at++;
  return at;
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; ; at++) {
    at = text.indexOf('"', at);
    if (at === -1) return text.length;
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === backslash) slashes++;
    if (slashes % 2 === 0) return at + 1;
  }
}

function endOfValue(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      at = endOfString(text, at) - 1;
      if (depth === 0) return at + 1;
    } else if (code === openBrace || code === openBracket) depth++;
    else if (code === closeBrace || code === closeBracket) {
      if (depth === 0) return at;
      if (--depth === 0) return at + 1;
    } else if (depth === 0 && (code === comma || code <= 32)) return at;
  }
  return text.length;
}
