import { maxRecords } from '#src/imports/formats/records/records.ts';
import { chunkRows } from '#src/imports/targets/target.ts';

/** Rows that are compared at once, at first. */
export const surveyedFirst = 200_000;
/** Fewer take no less time, as the tables are read whole each time: a million rows would be read fifty times over. */
const surveyedLeast = surveyedFirst / 2;
/** What a survey may take, so that little is lost with a worker, and what leaves too little of the time that a statement has. */
const [shortMs, longMs] = [3_000, 10_000];

/** How many rows to compare next, given how many took how long: more if that was short, fewer only if it came near the time limit. */
export function surveyedNext(rows: number, tookMs: number): number {
  if (tookMs > longMs) return Math.min(rows, inChunks(Math.max(rows / 2, surveyedLeast)));
  if (tookMs > shortMs) return rows;
  return Math.min(maxRecords, inChunks((rows * shortMs) / Math.max(1, tookMs)));
}

const inChunks = (rows: number): number => chunkRows * Math.max(1, Math.floor(rows / chunkRows));
