import { maxRecords } from '#src/imports/formats/records/records.ts';
import { freeBytes } from '#src/infra/memory.ts';
import type { CopiedLines } from './copied-lines.ts';
import { createOffsetTable, maxOffset, type OffsetTable } from './offset-table.ts';

/** Row flags: result of the comparison, and whether the row is rejected. */
export const [isSame, isChanged, isFaulty] = [1, 2, 4] as const;
/** Row flags: unread; duplicate key; no key. */
export const [isUnread, isNamed, isNameless] = [8, 16, 32] as const;
/** The head of a row: flags, number and line. */
export const headBytes = 8;
/** A row with its head rarely takes less. */
const leastBytes = 16;

export interface RowEntry {
  /** The number of the row in the file, from 1. */
  n: number;
  line: number;
  flags: number;
  /** The end of its cells in the buffer. */
  end: number;
}

/** Rows as lines of COPY behind heads of 8 bytes, in one buffer outside of the heap, and where the row of each key is. README.md draws it. */
export class RowBuffer {
  readonly bytes: Buffer;
  /** The end of the last row, where the head of the next one goes. */
  length = 0;
  /** True if two rows have one key. */
  hasRepeated = false;
  readonly #lines: CopiedLines;
  readonly #maxRows: number;
  readonly #table: OffsetTable;
  #count = 0;
  #isFull = false;
  // The key that is looked for, of a row or of a record: fields, because a closure for each row would have to be collected.
  #keyLines: Uint8Array;
  #keyAt = 0;
  readonly #hasKey = (row: number): boolean => this.#lines.hasSameKey(this.bytes, row, this.#keyLines, this.#keyAt);

  constructor(lines: CopiedLines, maxBytes: number) {
    this.bytes = Buffer.allocUnsafeSlow(Math.min(maxBytes, maxOffset));
    this.#lines = lines;
    this.#maxRows = Math.min(maxRecords, Math.ceil(this.bytes.length / leastBytes));
    this.#table = createOffsetTable(this.#maxRows);
    this.#keyLines = this.bytes;
  }

  hasRoom(room: number): boolean {
    return !this.#isFull && this.length + headBytes + room <= this.bytes.length && this.#count < this.#maxRows;
  }

  /** Adds a row whose cells have been written behind the place of its head. */
  add({ n, line, flags, end }: RowEntry): void {
    const { bytes, length } = this;
    const row = length + headBytes;
    bytes[length] = flags;
    for (let at = 1; at < 4; at += 1) bytes[length + at] = n >>> (8 * at - 8);
    for (let at = 4; at < 8; at += 1) bytes[length + at] = line >>> (8 * at - 32);
    this.length = end;
    this.#count += 1;
    if ((flags & isNameless) !== 0) return;
    const earlier = this.find(bytes, row);
    if (earlier === 0) this.#table.add(row);
    else if (earlier === -1) this.#isFull = true;
    else {
      this.hasRepeated = true;
      this.flag(earlier, isNamed);
      this.flag(row, isNamed);
    }
  }

  /** The first row with the key of that line; 0 for none, -1 where too many rows share its hash. */
  find(lines: Uint8Array, at: number): number {
    this.#keyLines = lines;
    this.#keyAt = at;
    return this.#table.find(this.#lines.hash(lines, at), this.#hasKey);
  }

  flag(row: number, flags: number): void {
    this.bytes[row - headBytes] = (this.bytes[row - headBytes] as number) | flags;
  }

  free(): void {
    freeBytes(this.bytes);
    this.#table.free();
  }
}
