import { maxRecords } from '#src/imports/formats/records/records.ts';
import { chunkRows } from '#src/imports/targets/target.ts';

/** Rows that the first statement compares. */
export const surveyedFirst = 200_000;
/** Fewer rows take no less time, because each statement reads the whole tables: a million rows would read them fifty times. */
const surveyedLeast = surveyedFirst / 2;
/** A survey should take at most 3 s, so that a dying worker loses little; over 10 s it comes near the limit of a statement. */
const [shortMs, longMs] = [3_000, 10_000];

/** How many rows to compare next, given how many took how long: more if that was short, fewer only if it came near the time limit. */
export function surveyedNext(rows: number, tookMs: number): number {
  if (tookMs > longMs) return Math.min(rows, inChunks(Math.max(rows / 2, surveyedLeast)));
  if (tookMs > shortMs) return rows;
  return Math.min(maxRecords, inChunks((rows * shortMs) / Math.max(1, tookMs)));
}

const inChunks = (rows: number): number => chunkRows * Math.max(1, Math.floor(rows / chunkRows));
