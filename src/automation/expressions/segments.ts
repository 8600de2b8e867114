import { ExpressionError } from './expression-error.ts';

/** A part of a string with expressions: plain text, or an expression with its offset in the string. */
export type Segment = { text: string } | { source: string; position: number };

const opening = '{{';

/** After one of these a slash begins a regular expression; after anything else it divides. */
const beforeRegex = /[([{,;:?=<>!&|~+*%^-]$|^$/;

function skipQuoted(text: string, start: number): number {
  const quote = text[start];
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '\\' && quote !== '`') at += 1;
    else if (text[at] === quote) return at;
  }
  return text.length;
}

/** The offset of the `}}` that closes an expression begun at `start`; -1 when it is not closed. */
function findEnd(text: string, start: number): number {
  let braces = 0;
  let previous = '';
  for (let at = start; at < text.length; at += 1) {
    const char = text[at] ?? '';
    if (char === '}' && braces === 0) {
      if (text[at + 1] === '}') return at;
    } else if (char === '{') {
      braces += 1;
    } else if (char === '}') {
      braces -= 1;
    } else if (char === '"' || char === "'" || char === '`') {
      at = skipQuoted(text, at);
    } else if (char === '/' && text[at + 1] === '*') {
      const end = text.indexOf('*/', at + 2);
      if (end < 0) return -1;
      at = end + 1;
      continue;
    } else if (char === '/' && beforeRegex.test(previous)) {
      at = skipQuoted(text, at);
    }
    if (char.trim() !== '') previous = char;
  }
  return -1;
}

/**
 * Splits a string at its `{{ expressions }}`. `\{{` means two literal braces; `}}` outside an expression is text.
 * Throws an ExpressionError when an expression is not closed.
 */
export function splitSegments(text: string): Segment[] {
  const segments: Segment[] = [];
  let literal = '';
  let at = 0;
  for (;;) {
    const open = text.indexOf(opening, at);
    if (open < 0) break;
    if (text[open - 1] === '\\' && open > at) {
      literal += text.slice(at, open - 1) + opening;
      at = open + opening.length;
      continue;
    }
    const start = open + opening.length;
    const end = findEnd(text, start);
    if (end < 0) {
      throw new ExpressionError('syntax', 'The expression does not end; close it with }} or write \\{{ for braces.', {
        path: '',
        position: open,
      });
    }
    literal += text.slice(at, open);
    if (literal !== '') segments.push({ text: literal });
    literal = '';
    segments.push({ source: text.slice(start, end), position: start });
    at = end + 2;
  }
  literal += text.slice(at);
  if (literal !== '' || segments.length === 0) segments.push({ text: literal });
  return segments;
}
