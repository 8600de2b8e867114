import type { Fault } from '#src/imports/targets/cells.ts';

/** Why a file cannot be read, in a sentence for its sender. Any other error is a bug or an outage. */
export class FileFault extends Error {
  /** Postgres stores no NUL, which what is quoted of the file may hold. */
  constructor(message: string, options?: ErrorOptions) {
    super(message.replaceAll('\0', '\ufffd'), options);
  }
}

/** The value of a record in a column: text, a boolean where the format has them, undefined for none, or why it cannot be read. */
export type CellValue = string | boolean | Fault | undefined;

/** A record of a file. */
export interface FileRecord {
  /** Where it begins: a line, or its number from 1. */
  line: number;
  /** The values of the wanted columns, in their order. */
  cells: CellValue[];
  /** Why the record as a whole cannot be read. */
  fault?: string;
}

/** A column that is looked for in the file. */
export interface WantedColumn {
  /** Its name in the file. */
  name: string;
  /** True if a file without it is refused. */
  required: boolean;
}

/**
 * `skippedRecord` for a row whose bytes were taken; undefined for one that has to be read. `spans` has where the cell of each wanted column begins and
 * ends in the bytes, -1 for a column that the file lacks, and `n` is the number of the row in the file, from 1.
 */
export type SkipUnchanged = (bytes: Buffer, spans: Int32Array, line: number, n: number) => FileRecord | undefined;

/** Placeholder for a record that was kept by its bytes and not parsed. */
export const skippedRecord: FileRecord = { line: 0, cells: [] };

export interface Reading {
  wanted: readonly WantedColumn[];
  delimiter: string;
  /** Empty where quotes are text like any other. */
  quote: string;
  /** True if the first row names the columns; else their names are their numbers, from "1" on. */
  header: boolean;
  /** Lines of CSV, or rows of a sheet, before the header. */
  skipLines: number;
  encoding: string;
  decimalSeparator: string;
  recordPath: string | null;
  /** Namespaces of XML by the prefixes of the profile; null: names are as the file writes them. */
  namespaces?: Readonly<Record<string, string>> | null | undefined;
  /** The sheet of a workbook; null: its first. */
  sheet: string | null;
  /** Asked by formats that can tell the cells of a row without reading them. */
  skipUnchanged?: SkipUnchanged | undefined;
}

/** Records in the file's order, some at a time, each array as many as were read together. Throws FileFault. */
export type Read = (bytes: AsyncIterable<Buffer>, reading: Reading) => AsyncGenerator<FileRecord[]>;

export const maxRecords = 1_000_000;
