import { type SkipUnchanged, skippedRecord } from '#src/imports/formats/records/records.ts';
import type { ReadRow, RowFault, RowReader } from '#src/imports/profiles/row-reader.rules.ts';
import { type StoredRecords, type SurveyedChunk, chunkRows } from '#src/imports/targets/target.ts';
import { roomOfCells, writeCells } from './copied-cells.ts';
import { afterLine, createCopiedLines } from './copied-lines.ts';
import { plainNumber } from './key-filter.ts';
import { createPlainCells } from './plain-cells.ts';
import { RecordComparer } from './record-comparer.ts';
import {
  headBytes,
  isChanged,
  isFaulty,
  isNamed,
  isNameless,
  isSame,
  isUnread,
  RowBuffer,
  type RowEntry,
} from './row-buffer.ts';
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

type Reader = Pick<RowReader, 'columns' | 'plainSources' | 'read'>;

/** Faults are objects on the heap: a file with more faulty rows is not compared. */
const maxFaulty = 10_000;

/**
 * Rows of a file that are compared with all records. Those that may change something are staged. README.md draws the buffers: 40 to 60 bytes a
 * row with the table of their keys. Each record is compared when it arrives and is not kept, so that Postgres prepares the next ones
 * while the file is read.
 * May miss equal rows; never reports unequal rows as equal.
 */
export class ComparedRows {
  /** Keeps rows by their bytes; their cells are parsed only if they change something. Undefined if the profile changes cells. */
  readonly skipUnchanged: SkipUnchanged | undefined;
  readonly #reader: Reader;
  readonly #firstKey: number;
  readonly #numericKeys: readonly boolean[];
  readonly #mayDiffer: readonly boolean[];
  readonly #rows: RowBuffer;
  readonly #comparer: RecordComparer;
  readonly #batches: { end: number; upTo: number }[] = [];
  readonly #faults = new Map<number, readonly RowFault[]>();
  /** The end of the last row that was staged or left out. */
  #stagedTo = 0;
  /** The accepted rows of each chunk, and the chunks with rows that the database has to compare. */
  readonly #accepted: number[] = [];
  readonly #unclear = new Set<number>();

  constructor(
    reader: Reader,
    { key, stored: { values }, maxBytes }: { key: readonly string[]; stored: StoredRecords; maxBytes: number },
  ) {
    const { columns, plainSources } = reader;
    this.#reader = reader;
    this.#firstKey = columns.findIndex(({ name }) => name === key[0]);
    this.#numericKeys = columns.map(({ name, cell }) => key.includes(name) && cell.type === 'numeric');
    this.#mayDiffer = columns.map(({ name }) =>
      values.some((value) => value.name === name && value.mayDiffer === true),
    );
    const lines = createCopiedLines(columns, { key, values });
    const rows = new RowBuffer(lines, maxBytes);
    this.#rows = rows;
    this.#comparer = new RecordComparer(rows, lines);
    const cells = plainSources && createPlainCells(columns, { sources: plainSources, numericKeys: this.#numericKeys });
    this.skipUnchanged =
      cells &&
      ((bytes, spans, line, n) => {
        if (!rows.hasRoom(cells.measureRoom(spans))) return undefined;
        const end = cells.write(bytes, spans, rows.bytes, rows.length + headBytes);
        if (end === -1) return undefined;
        rows.add({ n, line, flags: isUnread, end });
        return skippedRecord;
      });
  }

  /** Adds a row whose cells have been read. False if there is no room. */
  add({ line, cells, faults }: ReadRow, n: number): boolean {
    const rows = this.#rows;
    const texts = cells.map((cell, at) => (this.#numericKeys[at] && cell !== null ? plainNumber(cell) : cell));
    if (!rows.hasRoom(roomOfCells(texts)) || this.#faults.size >= maxFaulty) return false;
    if (faults.length > 0) this.#faults.set(n, faults);
    const flags = (faults.length > 0 ? isFaulty : 0) | (cells[this.#firstKey] === null ? isNameless : 0);
    rows.add({ n, line, flags, end: writeCells(rows.bytes, rows.length + headBytes, texts) });
    return true;
  }

  /** Ends a batch of rows that were read together, up to this number. */
  endBatch(upTo: number): void {
    if (this.#batches.at(-1)?.upTo !== upTo) this.#batches.push({ end: this.#rows.length, upTo });
  }

  /** Compares records, as COPY sends them, with the rows. All rows must have been added. */
  compare(records: Buffer): void {
    this.#comparer.compare(records);
  }

  batches(): number {
    return this.#batches.length;
  }

  /** Writes the rows of a batch that may change something. Call it once for each batch, in order. */
  stage(batch: number, text: StagedText): StagedBatch {
    const { bytes } = this.#rows;
    const { end, upTo } = this.#batches[batch] as { end: number; upTo: number };
    const faulty: { line: number; faults: readonly RowFault[] }[] = [];
    let unchanged = 0;
    let isLastStaged = false;
    while (this.#stagedTo < end) {
      const head = this.#stagedTo;
      const flags = bytes[head] as number;
      this.#stagedTo = afterLine(bytes, head + headBytes);
      if ((flags & (isSame | isNamed | isFaulty)) === isSame) {
        unchanged += 1;
        continue;
      }
      const n = bytes.readUIntLE(head + 1, 3);
      const line = bytes.readUInt32LE(head + 4);
      const isClear = (flags & (isSame | isChanged)) !== 0;
      const faults = this.#stageRow({ n, line, flags, end: this.#stagedTo }, head + headBytes, text);
      isLastStaged ||= n === upTo;
      if (faults.length > 0) faulty.push({ line, faults });
      else {
        const chunk = Math.floor((n - 1) / chunkRows);
        this.#accepted[chunk] = (this.#accepted[chunk] ?? 0) + 1;
        if (!isClear) this.#unclear.add(chunk);
      }
    }
    return { upTo, isLastStaged, unchanged, faulty };
  }

  /** Writes a row, and returns its faults. */
  #stageRow({ n, line, flags, end }: RowEntry, row: number, text: StagedText): readonly RowFault[] {
    const { bytes } = this.#rows;
    const texts = (flags & isUnread) !== 0 ? copiedTexts(bytes, row, end) : [];
    if (this.#areAccepted(texts, (flags & (isSame | isChanged)) !== 0)) {
      const faults = (flags & isFaulty) !== 0 ? (this.#faults.get(n) ?? []) : [];
      text.addCopied({ n, line, isFaulty: faults.length > 0 }, bytes, row, end);
      return faults;
    }
    const { cells, faults } = this.#readAgain(line, texts);
    // Its key may differ from that of its bytes.
    this.#rows.hasRepeated ||= faults.length === 0;
    text.addRow({ n, line, isFaulty: faults.length > 0 }, cells);
    return faults;
  }

  /** True if the columns accept the texts unchanged. A row with the key of a record can only be refused for a value that may differ. */
  #areAccepted(texts: readonly (string | undefined)[], isClear: boolean): boolean {
    return texts.every(
      (text, at) =>
        text === undefined ||
        (isClear && !this.#mayDiffer[at]) ||
        this.#reader.columns[at]?.cell.read(text, { decimalSeparator: '.' }) === text,
    );
  }

  #readAgain(line: number, texts: readonly (string | undefined)[]): ReadRow {
    const { plainSources = [] } = this.#reader;
    const cells: (string | undefined)[] = [];
    for (const [at, { place }] of plainSources.entries()) if (place !== -1) cells[place] = texts[at];
    return this.#reader.read({ line, cells });
  }

  /** True if rows may name the same record. Call it after all batches are staged. */
  hasRepeated(): boolean {
    return this.#rows.hasRepeated;
  }

  chunks(): KnownChunks {
    const chunks = Math.ceil((this.#batches.at(-1)?.upTo ?? 0) / chunkRows);
    return Array.from({ length: chunks }, (_, chunk) => {
      if (this.#unclear.has(chunk)) return undefined;
      const accepted = this.#accepted[chunk] ?? 0;
      return { accepted, unchanged: 0, due: accepted > 0 ? 'all' : null, fresh: 0 };
    });
  }

  /** Frees the memory of the rows, once all batches are staged or the file is given up. */
  free(): void {
    this.#rows.free();
  }
}

const copiedTexts = (bytes: Buffer, row: number, end: number): (string | undefined)[] =>
  bytes
    .toString('latin1', row, end - 1)
    .split('\t')
    .map((text) => (text === '\\N' ? undefined : text));
