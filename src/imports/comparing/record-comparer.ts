import { afterLine, type CopiedLines } from './copied-lines.ts';
import { headBytes, isChanged, isSame, type RowBuffer } from './row-buffer.ts';

const lineFeed = 0x0a;

/** Flags the rows that records are the same as, or are changed by. */
export class RecordComparer {
  readonly #rows: RowBuffer;
  readonly #lines: CopiedLines;
  /** The row that the next record is expected to have the key of: both often have one order. */
  #next = headBytes;
  /** The bytes of a line that has not arrived completely. */
  #rest: Buffer = Buffer.alloc(0);

  constructor(rows: RowBuffer, lines: CopiedLines) {
    this.#rows = rows;
    this.#lines = lines;
  }

  /** Compares records, as COPY sends them: a line may continue in the next chunk. */
  compare(chunk: Buffer): void {
    let at = 0;
    if (this.#rest.length > 0) {
      at = chunk.indexOf(lineFeed) + 1;
      this.#rest = Buffer.concat([this.#rest, at === 0 ? chunk : chunk.subarray(0, at)]);
      if (at === 0) return;
      this.#compareLines(this.#rest, 0, this.#rest.length);
    }
    const end = chunk.lastIndexOf(lineFeed) + 1;
    this.#compareLines(chunk, at, end);
    // A copy, so that the chunk may be freed.
    this.#rest = Buffer.from(chunk.subarray(end));
  }

  #compareLines(records: Uint8Array, begin: number, end: number): void {
    for (let at = begin; at < end;) at = this.#compareExpected(records, at) || this.#compareFound(records, at);
  }

  /** Flags the expected row if it is the same as the record, and returns where the next record begins; 0 if it is not. */
  #compareExpected(records: Uint8Array, begin: number): number {
    const { bytes, length } = this.#rows;
    if (this.#next >= length) return 0;
    let row = this.#next;
    let at = begin;
    while (records[at] === bytes[row]) {
      if (records[at] === lineFeed) {
        this.#rows.flag(this.#next, isSame);
        this.#next = row + 1 + headBytes;
        return at + 1;
      }
      at += 1;
      row += 1;
    }
    return 0;
  }

  #compareFound(records: Uint8Array, begin: number): number {
    const { bytes } = this.#rows;
    const row = this.#rows.find(records, begin);
    if (row > 0) {
      const comparison = this.#lines.compare(bytes, row, records, begin);
      if (comparison !== 'unclear') this.#rows.flag(row, comparison === 'same' ? isSame : isChanged);
      this.#next = afterLine(bytes, row) + headBytes;
    }
    return afterLine(records, begin);
  }
}
