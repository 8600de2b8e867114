import type { FileRecord } from '#src/imports/formats/records/records.ts';
import { freeBytes } from '#src/infra/memory.ts';

const [lineFeed, carriageReturn] = [0x0a, 0x0d];

/** Rows of CSV without quotes: their text, or the placeholder of a row that was skipped. */
export interface PlainRows {
  rows: (string | FileRecord)[];
  /** The bytes from the first row that has to be parsed; undefined if there is none. */
  parsed?: Buffer;
}

/** Scans rows; may skip unchanged ones. */
export interface RowPass {
  /** Scans the row that begins here, and returns its end. */
  pass: (bytes: Buffer, begin: number) => number;
  /**
   * Returns a placeholder if the scanned row, which is not empty, can be skipped; undefined if it has to be read. `before` counts the rows
   * of the chunk before it, and the empty ones among them.
   */
  take: (bytes: Buffer, before: { rows: number; empty: number }) => FileRecord | undefined;
}

/** Splits CSV into rows as far as it has no quotes. */
export interface PlainCsv {
  /** The line break of the file; undefined until the first row has ended. */
  lineBreak: () => string | undefined;
  /** Splits a chunk. `createPass` returns what scans rows with this line break; undefined if all have to be read. */
  split: (chunk: Buffer, createPass?: (lineBreak: string) => RowPass | undefined) => PlainRows;
  /** Returns the last row, if no line break ends it. */
  end: () => PlainRows;
}

/** Copies both into new memory, which may be freed. */
function joined(begin: Buffer, end: Buffer): Buffer {
  const bytes = Buffer.allocUnsafeSlow(begin.length + end.length);
  begin.copy(bytes);
  end.copy(bytes, begin.length);
  return bytes;
}

/** True if there are line breaks of another kind than the one that ends rows: they are text of a row. */
function hasStray(bytes: Buffer, lineBreak: string): boolean {
  if (lineBreak === '\n') return bytes.includes(carriageReturn);
  if (lineBreak === '\r') return bytes.includes(lineFeed);
  for (let at = 0; at < bytes.length; at += 1) {
    if (bytes[at] === carriageReturn ? bytes[at + 1] !== lineFeed : bytes[at] === lineFeed) return true;
    if (bytes[at] === carriageReturn) at += 1;
  }
  return false;
}

/**
 * Most files of numbers have no quotes, and splitting text is several times as fast as a parser that looks at each byte: a million rows of
 * three cells take 0.4 s instead of 1.9. The parser gets everything from the first row on that has a quote, that mixes line breaks, or that
 * is longer than `maxRowBytes`.
 */
export function createPlainCsv({ maxRowBytes, quote: mark }: { maxRowBytes: number; quote: string }): PlainCsv {
  const quote = mark === '' ? undefined : mark.charCodeAt(0);
  let rest: Buffer = Buffer.alloc(0);
  let lineBreak: string | undefined;
  return {
    lineBreak: () => lineBreak,
    split(chunk, createPass) {
      const bytes = rest.length > 0 ? joined(rest, chunk) : chunk;
      const quoted = quote === undefined ? -1 : bytes.indexOf(quote);
      const open = quoted === -1 ? bytes : bytes.subarray(0, quoted);
      lineBreak ??= detectLineBreak(open, { isCut: quoted === -1 });
      const end = lineBreak === undefined ? 0 : lastEnd(open, lineBreak);
      rest = bytes.subarray(end);
      const whole = bytes.subarray(0, end);
      if (lineBreak !== undefined && hasStray(whole, lineBreak)) return { rows: [], parsed: bytes };
      const rows = end === 0 || lineBreak === undefined ? [] : splitRows(whole, lineBreak, createPass?.(lineBreak));
      if (quoted !== -1 || rest.length > maxRowBytes) return { rows, parsed: rest };
      if (bytes !== chunk) {
        rest = Buffer.from(rest);
        freeBytes(bytes);
      }
      return { rows };
    },
    end: () => (isPlain(rest) ? { rows: rest.length > 0 ? [rest.toString()] : [] } : { rows: [], parsed: rest }),
  };
}

/** The rows of bytes that end with a line break. Those that have to be read are decoded together. */
function splitRows(bytes: Buffer, lineBreak: string, passing: RowPass | undefined): (string | FileRecord)[] {
  const decode = (begin: number, end: number): string[] =>
    bytes.toString('utf8', begin, end - lineBreak.length).split(lineBreak);
  if (!passing) return decode(0, bytes.length);
  const rows: (string | FileRecord)[] = [];
  const before = { rows: 0, empty: 0 };
  let decodedTo = 0;
  let waiting = 0;
  for (let begin = 0; begin < bytes.length;) {
    const end = passing.pass(bytes, begin);
    const next = end + lineBreak.length;
    before.rows = rows.length + waiting;
    const passed = begin < end ? passing.take(bytes, before) : undefined;
    if (begin === end) before.empty += 1;
    if (passed) {
      if (waiting > 0) rows.push(...decode(decodedTo, begin));
      rows.push(passed);
      decodedTo = next;
      waiting = 0;
    } else waiting += 1;
    begin = next;
  }
  if (waiting > 0) rows.push(...decode(decodedTo, bytes.length));
  return rows;
}

const isPlain = (bytes: Buffer): boolean => !bytes.includes(lineFeed) && !bytes.includes(carriageReturn);

/** The first line break; undefined where there is none yet, or its second half may follow. */
function detectLineBreak(bytes: Buffer, { isCut }: { isCut: boolean }): string | undefined {
  const ends = [bytes.indexOf(lineFeed), bytes.indexOf(carriageReturn)].filter((found) => found !== -1);
  if (ends.length === 0) return undefined;
  const at = Math.min(...ends);
  if (bytes[at] === lineFeed) return '\n';
  if (at + 1 === bytes.length && isCut) return undefined;
  return bytes[at + 1] === lineFeed ? '\r\n' : '\r';
}

function lastEnd(bytes: Buffer, lineBreak: string): number {
  const at = bytes.lastIndexOf(lineBreak);
  return at === -1 ? 0 : at + lineBreak.length;
}
