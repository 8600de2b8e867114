import type { ImportChunk, Merged } from '#src/imports/targets/target.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import { wakeRelay } from '#src/journal/outbox/outbox.ts';
import { releaseExpired } from './booking.service.ts';
import {
  findAbsent,
  findExpiredPlaces,
  findRefusedCounts,
  lockAbsent,
  lockCounted,
  makeCounted,
  writeAbsentCounts,
  writeCounts,
} from './stock-imports.store.ts';

/** Releases what has expired where a chunk counts, so that what is reserved there is what still is. */
export async function expireReservations(tx: Tx, chunk: ImportChunk): Promise<void> {
  const places = await findExpiredPlaces(tx, chunk);
  if (places.length > 0) await releaseExpired(tx, chunk.tenantId, places);
}

/** Books a count for each row of a chunk that says something else than the balance. */
export async function countStock(tx: Tx, chunk: ImportChunk): Promise<Merged> {
  await makeCounted(tx, chunk);
  const refused = await findRefusedCounts(tx, chunk);
  const locked = await lockCounted(tx, chunk);
  const written = locked === null ? 0 : await writeCounts(tx, chunk, locked);
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
  await lockAbsent(tx, job.tenantId, places);
  if ((await writeAbsentCounts(tx, job, places)) > 0) wakeRelay(tx);
  return last;
}
