import { passedRow, type ReadRow, type RowFault, takenRow } from '#src/imports/profiles/row-reader.rules.ts';
import type { SurveyedChunk } from '#src/imports/targets/target.ts';
import { chunkRows } from './chunk-sizes.rules.ts';
import type { KeyFilter } from './key-filter.rules.ts';
import type { RecordIndex } from './stored-records.rules.ts';

/** A row on its way to the staging table. */
export interface StagedRow extends ReadRow {
  /** Its number in the file, from 1; below 0 it only names a record. */
  n: number;
}

/** What is known of each chunk of rows without asking the database; undefined for one that has to be surveyed. */
export type KnownChunks = readonly (SurveyedChunk | undefined)[];

/** Decides which rows are staged. */
export interface Sifter {
  /** The rows to stage for a row of the file: none where it changes nothing, or its bytes were taken. */
  sift: (row: ReadRow, n: number) => readonly StagedRow[];
  /** Whether rows may name the same record. */
  hasRepeated: () => boolean;
  /** Of a file of so many rows. */
  chunks: (rows: number) => KnownChunks;
}

const none: readonly StagedRow[] = [];
const named: readonly RowFault[] = [{ column: null, value: null, reason: 'It only names a record.' }];
const chunkOf = (n: number): number => Math.floor((n - 1) / chunkRows);

/** Without records, all rows are staged; without a filter, they may name the same record. */
export function createSifter({
  records,
  filter,
}: {
  records: RecordIndex | undefined;
  filter: KeyFilter | undefined;
}): Sifter {
  let hasRepeated = false;
  let names = 0;
  const accepted: number[] = [];
  const unclear = new Set<number>();
  const accept = (n: number): void => {
    accepted[chunkOf(n)] = (accepted[chunkOf(n)] ?? 0) + 1;
  };
  return {
    sift(row, n) {
      if (row === passedRow) return none;
      if (row === takenRow) {
        accept(n);
        return none;
      }
      const likeness = records ? records.compare(row) : 'unknown';
      const isGood = row.faults.length === 0;
      if (likeness === 'same' && isGood) return none;
      if (isGood) accept(n);
      if (likeness === 'unknown') hasRepeated ||= filter?.mayRepeat(row.cells) === true;
      if (likeness === 'unknown' || likeness === 'unclear') unclear.add(chunkOf(n));
      if (likeness !== 'repeated' || !records) return [{ ...row, n }];
      // The row that it repeats may have been left out, and is needed beside it where repeated rows are looked for.
      hasRepeated = true;
      names += 1;
      return [
        { ...row, n: -names, line: records.earlierLine(), faults: named },
        { ...row, n },
      ];
    },
    hasRepeated: () => hasRepeated,
    chunks: (rows) =>
      Array.from({ length: Math.ceil(rows / chunkRows) }, (_, chunk) => {
        const many = accepted[chunk] ?? 0;
        if (!records || unclear.has(chunk)) return undefined;
        return { accepted: many, unchanged: 0, due: many > 0 ? 'all' : null, fresh: 0 };
      }),
  };
}
