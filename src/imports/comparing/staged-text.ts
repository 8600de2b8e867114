import { roomOfCells, writeCells } from './copied-cells.ts';

/** A row on its way to the staging table. */
export interface RowHead {
  /** Its number in the file, from 1; below 0 it is not a row of it. */
  n: number;
  line: number;
  isFaulty: boolean;
}

/**
 * Rows as COPY's text format has them. They are written as they come: kept as objects until they are sent, they outlived young collections,
 * and the heap grew with them.
 */
export interface StagedText {
  addRow: (head: RowHead, cells: readonly (string | null)[]) => void;
  /** The same of cells that are in COPY's text format, with the end of their line. */
  addCopied: (head: RowHead, bytes: Buffer, begin: number, end: number) => void;
  /** How many rows there are to take. */
  rows: () => number;
  /** How many bytes. */
  length: () => number;
  /** The rows since they were taken before; what was taken then is written over. */
  take: () => Buffer;
}

const [tab, minus, zero, smallF, smallT] = [0x09, 0x2d, 0x30, 0x66, 0x74];
const firstBytes = 64 * 1024;
/** The longest number with what follows it. */
const spare = 16;
/** Up to here, moving bytes one by one is faster than to call for it. */
const shortLength = 64;

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
  /** Writes a number of at most 31 bits. */
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
  const begin = ({ n, line, isFaulty }: RowHead, room: number): void => {
    rows += 1;
    makeRoom(job.length + 3 * spare + room);
    for (let at = 0; at < job.length; at += 1) add(job[at] as number);
    addNumber(n);
    add(tab);
    addNumber(line);
    add(tab);
    add(isFaulty ? smallT : smallF);
    add(tab);
  };
  return {
    addRow(head, cells) {
      begin(head, roomOfCells(cells));
      length = writeCells(bytes, length, cells);
    },
    addCopied(head, given, from, to) {
      begin(head, to - from);
      if (to - from > shortLength) length += given.copy(bytes, length, from, to);
      else for (let at = from; at < to; at += 1) add(given[at] as number);
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
