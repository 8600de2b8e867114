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

/** Releases expired reservations at the places that a chunk counts, so that the reserved quantities there are current. */
export async function expireReservations(tx: Tx, chunk: ImportChunk): Promise<void> {
  const places = await findExpiredPlaces(tx, chunk);
  if (places.length > 0) await releaseExpired(tx, chunk.tenantId, places);
}

/**
 * Books a count for each row of a chunk that differs from the balance. Rows are checked one by one only if the survey could not decide:
 * articles without a product, new places, or a count of a past moment.
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

/** Counts zero for a batch of the articles that no row of the job names, at the locations that the job names. */
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
