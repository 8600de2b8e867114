import { maxRecords, type SkipUnchanged, skippedRecord } from '#src/imports/formats/records/records.ts';
import type { ReadRow, RowFault, RowReader } from '#src/imports/profiles/row-reader.rules.ts';
import { type StoredRecords, type SurveyedChunk, chunkRows } from '#src/imports/targets/target.ts';
import { freeBytes } from '#src/infra/memory.ts';
import { roomOfCells, writeCells } from './copied-cells.ts';
import { afterLine, createCopiedLines } from './copied-lines.ts';
import { plainNumber } from './key-filter.ts';
import { createOffsetTable, maxOffset } from './offset-table.ts';
import { createPlainCells } from './plain-cells.ts';
import type { StagedText } from './staged-text.ts';

/** The survey of each chunk, as far as reading the file has shown it; undefined for a chunk that the database has to survey. */
export type KnownChunks = readonly (SurveyedChunk | undefined)[];

/** The result of staging the rows that were read together. */
export interface StagedBatch {
  /** The number of the last row, and whether that row is staged. */
  upTo: number;
  isLastStaged: boolean;
  unchanged: number;
  faulty: readonly { line: number; faults: readonly RowFault[] }[];
}

/** Rows of a file that are compared with all records. Those that may change something are staged. README.md draws the buffers. */
export interface ComparedRows {
  /** Keeps rows by their bytes; their cells are parsed only if they change something. Undefined if the profile changes cells. */
  skipUnchanged: SkipUnchanged | undefined;
  /** Keeps any other row. False if there is no room. */
  add: (read: ReadRow, n: number) => boolean;
  /** Ends a batch of rows that were read together, up to this number. */
  endBatch: (upTo: number) => void;
  /** Compares records, as COPY sends them, with the rows. All rows must have been added. */
  compare: (lines: Buffer) => void;
  batches: () => number;
  /** Writes the rows of a batch that may change something. Call it once for each batch, in order. */
  stage: (batch: number, text: StagedText) => StagedBatch;
  /** Whether rows may name the same record. Call it after all batches are staged. */
  hasRepeated: () => boolean;
  chunks: () => KnownChunks;
  /** Frees the memory of the rows, once all batches are staged or the file is given up. */
  free: () => void;
}

/** Row flags: result of the comparison, and whether it is rejected. */
const [isSame, isChanged, isFaulty] = [1, 2, 4];
/** Row flags: unread; duplicate key; no key. */
const [isUnread, isNamed, isNameless] = [8, 16, 32];
/** The head of a row: flags, number and line. */
const headBytes = 8;
/** Faults are objects on the heap: a file with more faulty rows is not compared. */
const maxFaulty = 10_000;
/** A row with its head rarely takes less. */
const leastBytes = 16;
const lineFeed = 0x0a;

/**
 * Keeps the rows of a file in a buffer outside of the heap, 40 to 60 bytes a row with the table of their keys. Records are compared as they
 * come and not kept, so that Postgres prepares them while the file is read. May miss equal rows; never reports unequal rows as equal.
 */
export function createComparedRows(
  reader: Pick<RowReader, 'columns' | 'plainSources' | 'read'>,
  { key, stored, maxBytes }: { key: readonly string[]; stored: StoredRecords; maxBytes: number },
): ComparedRows {
  const { columns, plainSources } = reader;
  const { values } = stored;
  const lines = createCopiedLines(columns, { key, values });
  const first = columns.findIndex(({ name }) => name === key[0]);
  const numericKeys = columns.map(({ name, cell }) => key.includes(name) && cell.type === 'numeric');
  const bytes = Buffer.allocUnsafeSlow(Math.min(maxBytes, maxOffset));
  const most = Math.min(maxRecords, Math.ceil(bytes.length / leastBytes));
  const rows = createOffsetTable(most);
  const batches: { end: number; upTo: number }[] = [];
  const faulty = new Map<number, readonly RowFault[]>();
  let length = 0;
  let count = 0;
  let hasRepeated = false;
  let isFull = false;

  const flag = (row: number, flags: number): void => {
    bytes[row - headBytes] = (bytes[row - headBytes] as number) | flags;
  };

  // What a key is compared with: a row, or a record.
  let given: Uint8Array = bytes;
  let givenAt = 0;
  const hasGivenKey = (row: number): boolean => lines.hasKeyOf(bytes, row, given, givenAt);
  const findRow = (): number => rows.find(lines.hash(given, givenAt), hasGivenKey);

  /** Keeps the row whose cells have been written after the place of its head. */
  const keep = ({ n, line, flags, end }: { n: number; line: number; flags: number; end: number }): void => {
    const row = length + headBytes;
    bytes[length] = flags;
    for (let at = 1; at < 4; at += 1) bytes[length + at] = n >>> (8 * at - 8);
    for (let at = 4; at < 8; at += 1) bytes[length + at] = line >>> (8 * at - 32);
    length = end;
    count += 1;
    if ((flags & isNameless) !== 0) return;
    given = bytes;
    givenAt = row;
    const earlier = findRow();
    if (earlier === 0) rows.add(row);
    else if (earlier === -1) isFull = true;
    else {
      hasRepeated = true;
      flag(earlier, isNamed);
      flag(row, isNamed);
    }
  };
  const hasRoom = (room: number): boolean => !isFull && length + headBytes + room <= bytes.length && count < most;

  const cells = plainSources && createPlainCells(columns, { sources: plainSources, numericKeys });
  const skipUnchanged: SkipUnchanged = (row, spans, line, n) => {
    if (!cells || !hasRoom(cells.roomOf(spans))) return undefined;
    const end = cells.write(row, spans, bytes, length + headBytes);
    if (end === -1) return undefined;
    keep({ n, line, flags: isUnread, end });
    return skippedRecord;
  };
  const add = (read: ReadRow, n: number): boolean => {
    const texts = read.cells.map((cell, at) => (numericKeys[at] && cell !== null ? plainNumber(cell) : cell));
    if (!hasRoom(roomOfCells(texts)) || faulty.size >= maxFaulty) return false;
    const flags = read.faults.length > 0 ? isFaulty : 0;
    if (flags !== 0) faulty.set(n, read.faults);
    const end = writeCells(bytes, length + headBytes, texts);
    keep({ n, line: read.line, flags: read.cells[first] === null ? flags | isNameless : flags, end });
    return true;
  };

  /** The row that the next record is expected to be of: both often have one order. */
  let next = headBytes;
  const markExpected = (records: Uint8Array, begin: number): number => {
    if (next >= length) return 0;
    let row = next;
    let at = begin;
    while (records[at] === bytes[row]) {
      if (records[at] === lineFeed) {
        flag(next, isSame);
        next = row + 1 + headBytes;
        return at + 1;
      }
      at += 1;
      row += 1;
    }
    return 0;
  };
  const markFound = (records: Uint8Array, begin: number): number => {
    given = records;
    givenAt = begin;
    const row = findRow();
    if (row > 0) {
      const comparison = lines.compare(bytes, row, records, begin);
      if (comparison !== 'unclear') flag(row, comparison === 'same' ? isSame : isChanged);
      next = afterLine(bytes, row) + headBytes;
    }
    return afterLine(records, begin);
  };
  const compareLines = (records: Uint8Array, begin: number, end: number): void => {
    for (let at = begin; at < end;) at = markExpected(records, at) || markFound(records, at);
  };
  /** The bytes of a line that has not arrived completely. */
  let rest: Buffer = Buffer.alloc(0);

  const textsOf = (row: number): (string | undefined)[] =>
    bytes
      .toString('latin1', row, afterLine(bytes, row) - 1)
      .split('\t')
      .map((text) => (text === '\\N' ? undefined : text));
  const mayDiffer = columns.map(({ name }) => values.some((value) => value.name === name && value.mayDiffer === true));
  /** Whether its columns take the texts as they are; of a row with the key of a record, only its changes may be such as they refuse. */
  const areTaken = (texts: readonly (string | undefined)[], isClear: boolean): boolean =>
    texts.every(
      (text, at) =>
        text === undefined ||
        (isClear && !mayDiffer[at]) ||
        columns[at]?.cell.read(text, { decimalSeparator: '.' }) === text,
    );
  const readAgain = (line: number, texts: readonly (string | undefined)[]): ReadRow => {
    const wanted: (string | undefined)[] = [];
    for (const [at, { place }] of (plainSources ?? []).entries()) if (place !== -1) wanted[place] = texts[at];
    return reader.read({ line, cells: wanted });
  };

  let staged = 0;
  const accepted: number[] = [];
  const unclear = new Set<number>();

  return {
    skipUnchanged: cells && skipUnchanged,
    add,
    endBatch(upTo) {
      if (batches.at(-1)?.upTo !== upTo) batches.push({ end: length, upTo });
    },
    compare(chunk) {
      let at = 0;
      if (rest.length > 0) {
        at = chunk.indexOf(lineFeed) + 1;
        const line = Buffer.concat([rest, at === 0 ? chunk : chunk.subarray(0, at)]);
        rest = line;
        if (at === 0) return;
        compareLines(line, 0, line.length);
      }
      const end = chunk.lastIndexOf(lineFeed) + 1;
      compareLines(chunk, at, end);
      // A copy, so that the chunk may be freed.
      rest = Buffer.from(chunk.subarray(end));
    },
    batches: () => batches.length,
    stage(batch, text) {
      const { end, upTo } = batches[batch] as (typeof batches)[number];
      const rejected: { line: number; faults: readonly RowFault[] }[] = [];
      let unchanged = 0;
      let isLastStaged = false;
      while (staged < end) {
        const head = staged;
        const row = head + headBytes;
        const flags = bytes[head] as number;
        staged = afterLine(bytes, row);
        const isClear = (flags & (isSame | isChanged)) !== 0;
        if (isClear && (flags & (isSame | isNamed | isFaulty)) === isSame) {
          unchanged += 1;
          continue;
        }
        const n = bytes.readUIntLE(head + 1, 3);
        const line = bytes.readUInt32LE(head + 4);
        let faults = (flags & isFaulty) !== 0 ? (faulty.get(n) ?? []) : [];
        const texts = (flags & isUnread) !== 0 ? textsOf(row) : [];
        if (areTaken(texts, isClear)) text.addCopied({ n, line, isFaulty: faults.length > 0 }, bytes, row, staged);
        else {
          const read = readAgain(line, texts);
          faults = read.faults;
          // Its key may be another than that of its bytes.
          hasRepeated ||= faults.length === 0;
          text.addRow({ n, line, isFaulty: faults.length > 0 }, read.cells);
        }
        isLastStaged ||= n === upTo;
        if (faults.length > 0) rejected.push({ line, faults });
        else {
          const chunk = Math.floor((n - 1) / chunkRows);
          accepted[chunk] = (accepted[chunk] ?? 0) + 1;
          if (!isClear) unclear.add(chunk);
        }
      }
      return { upTo, isLastStaged, unchanged, faulty: rejected };
    },
    hasRepeated: () => hasRepeated,
    chunks: () =>
      Array.from({ length: Math.ceil((batches.at(-1)?.upTo ?? 0) / chunkRows) }, (_, chunk) => {
        const many = accepted[chunk] ?? 0;
        if (unclear.has(chunk)) return undefined;
        return { accepted: many, unchanged: 0, due: many > 0 ? 'all' : null, fresh: 0 };
      }),
    free() {
      freeBytes(bytes);
      rows.free();
    },
  };
}
