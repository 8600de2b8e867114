import { type ImportChunk, manyDue, type Merged, type SurveyedChunk } from '#src/imports/targets/target.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import { wakeRelay } from '#src/journal/outbox/outbox.ts';
import { releaseExpired } from './booking.service.ts';
import {
  areFoundByKey,
  findAbsent,
  findExpiredPlaces,
  findRefusedCounts,
  lockCounted,
  makeCounted,
  writeAbsentCounts,
  writeCounts,
  writeLockedCounts,
} from './stock-imports.store.ts';

/** Releases what has expired where a chunk counts, so that what is reserved there is what still is. */
export async function expireReservations(tx: Tx, chunk: ImportChunk): Promise<void> {
  const places = await findExpiredPlaces(tx, chunk);
  if (places.length > 0) await releaseExpired(tx, chunk.tenantId, places);
}

/**
 * Books a count for each row of a chunk that says something else than the balance. Rows are judged one by one only where the survey could
 * not tell: articles that are not sold, places that are new, or a moment that has passed.
 */
export async function countStock(tx: Tx, chunk: ImportChunk, surveyed: SurveyedChunk): Promise<Merged> {
  const { due, accepted, unchanged, fresh } = surveyed;
  const isPast = chunk.options.asOf !== null;
  if (due !== null && fresh > 0) await makeCounted(tx, chunk, due);
  const isByKey = due === null || (await areFoundByKey(tx));
  if (due !== null && (isPast || !isByKey)) await lockCounted(tx, chunk, due);
  const isClear = fresh === 0 && !isPast && accepted - unchanged === manyDue(surveyed);
  const refused = isClear ? [] : await findRefusedCounts(tx, chunk);
  const write = isByKey ? writeCounts : writeLockedCounts;
  const written = due === null ? 0 : await write(tx, chunk, { numbers: due, refused });
  if (written > 0) wakeRelay(tx);
  return { written, refused };
}

/** Counts zero for a part of the articles that no row of the job names, at the locations that the job names. */
export async function countAbsent(
  tx: Tx,
  job: Omit<ImportChunk, 'after' | 'upTo'>,
  after: string | null,
): Promise<string | null> {
  const { last, places } = await findAbsent(tx, job, after);
  if (places === null) return null;
  if ((await writeAbsentCounts(tx, job, places)) > 0) wakeRelay(tx);
  return last;
}
