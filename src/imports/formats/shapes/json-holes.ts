import { type Hole, onlyBytes, textBytes } from './record-shapes.ts';

const token = /\s+|[{}[\],:]|"[^"\\]*(?:\\.[^"\\]*)*"|-?[\d.eE+-]+|true|false|null/sy;
const textTakes = textBytes('"\\', { isUtf8: true });
const integerTakes = onlyBytes('-0123456789');
const numberTakes = onlyBytes('-.0123456789');
const [minus, dot, zero, nine] = [0x2d, 0x2e, 0x30, 0x39];

/**
 * The holes of an object in a list, with the comma before it: its texts and numbers, and those of what is in it. Numbers with a fraction are
 * parsed where another separator takes the place of the point.
 */
export function jsonHoles(record: string, decimalSeparator: string): Hole[] | undefined {
  if (!/^\s*,\s*\{/.test(record)) return undefined;
  const holes: Hole[] = [];
  const open: string[] = [];
  const takes = decimalSeparator === '.' ? numberTakes : integerTakes;
  let before = '';
  for (token.lastIndex = 0; token.lastIndex < record.length;) {
    const begin = token.lastIndex;
    const [found = ''] = token.exec(record) ?? [];
    if (found === '') return undefined;
    if (found.trim() === '') continue;
    const end = begin + found.length;
    const isName = open.at(-1) === '{' && before !== ':';
    if (found.startsWith('"') && !isName) holes.push({ begin: begin + 1, end: end - 1, takes: textTakes });
    if (/^[-\d]/.test(found)) holes.push({ begin, end, takes, isGood: isNumber });
    if (found === '{' || found === '[') open.push(found);
    if (found === '}' || found === ']') open.pop();
    before = found;
  }
  return holes;
}

/** Whether the bytes, which are digits, dots and minus signs, are a number of JSON. */
function isNumber(bytes: Uint8Array, begin: number, end: number): boolean {
  let at = bytes[begin] === minus ? begin + 1 : begin;
  const digits = (): boolean => {
    const from = at;
    while (at < end && (bytes[at] as number) >= zero && (bytes[at] as number) <= nine) at += 1;
    return at > from;
  };
  const isZero = bytes[at] === zero;
  const first = at;
  if (!digits() || (isZero && at > first + 1)) return false;
  if (at === end) return true;
  if (bytes[at] !== dot) return false;
  at += 1;
  return digits() && at === end;
}
