import type { Cell } from '#src/imports/targets/cells.ts';
import { FileFault } from './records.ts';

/** A column as a file has it. */
export interface WrittenColumn {
  name: string;
  type: Cell['type'];
}

/** The text of each column; null where the record has no value. */
export type WrittenRow = (string | null)[];

export interface Writing {
  columns: readonly WrittenColumn[];
  delimiter: string;
  quote: string;
  /** True if the first row names the columns, in formats with rows. */
  header: boolean;
  /** Lines or rows that are left empty before it. */
  skipLines: number;
  encoding: string;
  decimalSeparator: string;
  recordPath: string | null;
  /** Namespaces of XML by prefix. Only readers use them. */
  namespaces?: Readonly<Record<string, string>> | null;
  sheet: string | null;
}

/** How a format is written from what COPY sends. */
export interface Writer {
  mediaType: string;
  /** The format of COPY that it takes. */
  copies: 'csv' | 'text';
  /** True if a spreadsheet may take its text for formulas. */
  isForSpreadsheets: boolean;
  /** Throws FileFault where the format cannot have these columns. */
  check?: (writing: Writing) => void;
  write: (copied: AsyncIterable<Buffer>, writing: Writing) => AsyncGenerator<Buffer>;
}

/** The steps of a record path. Throws FileFault for one that chooses among what is there, as nothing is there yet. */
export function writtenPath(recordPath: string): string[] {
  if (recordPath.includes('['))
    throw new FileFault(
      `The record path ${recordPath} says which of several records to read. Export by a profile with a plain one.`,
    );
  return recordPath.replaceAll('?', '').split('.');
}

/** Throws FileFault for a column around the record, of which the export has no records. */
export function checkWithin(names: readonly string[]): void {
  const around = names.find((name) => name.startsWith('../'));
  if (around !== undefined)
    throw new FileFault(
      `The column "${around}" is around its record, which cannot be written. Export by a profile without it.`,
    );
}
