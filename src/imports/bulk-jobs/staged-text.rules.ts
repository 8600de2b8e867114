import type { StagedRow } from './sifting.rules.ts';

/**
 * Rows as COPY's text format has them. They are written as they come: kept as objects until they are sent, they outlived young collections,
 * and the heap grew with them.
 */
export interface StagedText {
  addRow: (row: StagedRow) => void;
  /** Begins the row of this number, which is at this line, and has no faults. */
  beginRow: (n: number, line: number) => void;
  /** Adds bytes that need no escapes as the next cell; none of them: no value. */
  addCell: (bytes: Uint8Array, begin: number, end: number) => void;
  endRow: () => void;
  /** How many rows there are to take. */
  rows: () => number;
  /** How many bytes. */
  length: () => number;
  /** The rows since they were taken before; what was taken then is written over. */
  take: () => Buffer;
}

const [tab, lineFeed, minus, zero, backslash, capitalN] = [0x09, 0x0a, 0x2d, 0x30, 0x5c, 0x4e];
const [smallF, smallT] = [0x66, 0x74];
const special = /[\\\n\r\t]/g;
const escapes: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };
const firstBytes = 64 * 1024;
/** The longest number with what follows it, or what stands for no value. */
const spare = 16;

/** Rows of a job. */
export function createStagedText(jobId: number): StagedText {
  // One is sent while the next is filled.
  let other = Buffer.allocUnsafeSlow(firstBytes);
  let bytes = Buffer.allocUnsafeSlow(firstBytes);
  let length = 0;
  let rows = 0;
  const makeRoom = (more: number): void => {
    if (length + more <= bytes.length) return;
    const wider = Buffer.allocUnsafeSlow(2 * (length + more));
    bytes.copy(wider, 0, 0, length);
    bytes = wider;
  };
  const add = (byte: number): void => {
    bytes[length] = byte;
    length += 1;
  };
  /** Of at most 31 bits. */
  const addNumber = (given: number): void => {
    const value = Math.abs(given);
    if (given < 0) add(minus);
    let digits = 1;
    for (let left = value; left >= 10; left = (left / 10) | 0) digits += 1;
    for (let at = length + digits - 1, left = value; at >= length; at -= 1) {
      const rest = (left / 10) | 0;
      bytes[at] = zero + left - 10 * rest;
      left = rest;
    }
    length += digits;
  };
  const job = Buffer.from(`${jobId}\t`);
  const begin = (n: number, line: number, isFaulty: boolean): void => {
    rows += 1;
    makeRoom(job.length + 2 * spare);
    for (let at = 0; at < job.length; at += 1) add(job[at] as number);
    addNumber(n);
    add(tab);
    addNumber(line);
    add(tab);
    add(isFaulty ? smallT : smallF);
  };
  const addNull = (): void => {
    add(backslash);
    add(capitalN);
  };
  const addText = (text: string): void => {
    makeRoom(text.length + spare);
    const from = length;
    add(tab);
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code < 0x20 || code > 0x7e || code === backslash) {
        const escaped = Buffer.from(text.replaceAll(special, (letter) => escapes[letter] as string));
        length = from + 1;
        makeRoom(escaped.length + spare);
        length += escaped.copy(bytes, length);
        return;
      }
      add(code);
    }
  };
  return {
    addRow({ n, line, cells, faults }) {
      begin(n, line, faults.length > 0);
      for (const cell of cells) {
        if (cell !== null) addText(cell);
        else {
          makeRoom(spare);
          add(tab);
          addNull();
        }
      }
      makeRoom(spare);
      add(lineFeed);
    },
    beginRow: (n, line) => begin(n, line, false),
    addCell(given, from, to) {
      makeRoom(to - from + spare);
      add(tab);
      if (from === to) addNull();
      for (let at = from; at < to; at += 1) add(given[at] as number);
    },
    endRow() {
      makeRoom(spare);
      add(lineFeed);
    },
    rows: () => rows,
    length: () => length,
    take() {
      const taken = bytes.subarray(0, length);
      [bytes, other] = [other, bytes];
      [length, rows] = [0, 0];
      return taken;
    },
  };
}
