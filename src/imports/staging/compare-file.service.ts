import { setImmediate as nextTurn } from 'node:timers/promises';
import { Interrupted, interruptedBy } from '#src/imports/bulk-jobs/bulk-jobs.rules.ts';
import type { TakenJob } from '#src/imports/bulk-jobs/bulk-jobs.store.ts';
import { ComparedRows } from '#src/imports/comparing/compared-rows.ts';
import { readFileRows } from '#src/imports/profiles/file-rows.service.ts';
import { type RowReader, skippedRow } from '#src/imports/profiles/row-reader.rules.ts';
import type { ImportDeps } from '#src/imports/targets/import-deps.ts';
import type { ImportTarget } from '#src/imports/targets/target.ts';
import { freeBytes } from '#src/infra/memory.ts';

/** Memory for the rows of a file: a million of 40 bytes. */
const maxMemoryBytes = 48 * 1024 * 1024;
/** Memory for rows is at most 8 bytes for each byte of the file, which may be packed, and 64 KiB more for files of few rows. */
const [bytesOfByte, sparedBytes] = [8, 64 * 1024];
/** Bytes of the file for each record that is read: reading all records is worth it for a file that names many of them. */
const bytesOfRecord = 4;
/** Workbooks are packed: a row takes a quarter of what it takes in other formats, or less. */
const packedTo = (format: string): number => (format === 'xlsx' ? 1 / 4 : 1);
/** Records that Postgres sends while the file is read, and reads of its socket that are compared before other work has its turn. */
const [maxHeldBytes, heldOfTurn] = [16 * 1024 * 1024, 16];
/** No progress is recorded before the rows are compared. */
const maxReadingMs = 10_000;

/**
 * Reads a file to its end and compares its rows with the records as they were when it began; undefined where its rows are not compared, are
 * more than there is memory for, or take long to read. Throws FileFault, and Interrupted.
 */
export async function compareFile(
  { database, storage, ending }: ImportDeps,
  job: TakenJob,
  { reader, target, upload }: { reader: RowReader; target: ImportTarget; upload: { key: string; bytes: number } },
): Promise<ComparedRows | undefined> {
  const { tenantId, profile } = job;
  const stored = target.stored?.(profile);
  if (!stored) return undefined;
  const maxBytes = Math.min(maxMemoryBytes, bytesOfByte * upload.bytes + sparedBytes);
  const rows = new ComparedRows(reader, { key: target.key, stored, maxBytes });
  const most = Math.ceil(upload.bytes / packedTo(profile.format) / bytesOfRecord);
  const records = database.copyOut(tenantId, `COPY (${stored.sql} LIMIT ${most}) TO STDOUT`);
  const reading = Promise.withResolvers<void>();
  let [isRead, isGivenUp] = [false, false];
  let held: Buffer[] = [];
  let heldBytes = 0;
  const throwIfInterrupted = (): void => {
    const interruption = interruptedBy(job, ending.aborted);
    if (interruption) throw new Interrupted(interruption);
  };
  const compareHeld = async (): Promise<void> => {
    for (const [at, lines] of held.entries()) {
      rows.compare(lines);
      freeBytes(lines);
      if (at % heldOfTurn === heldOfTurn - 1) await nextTurn();
    }
    held = [];
  };
  const compareRecords = async (): Promise<void> => {
    for await (const lines of records) {
      if (isGivenUp) return;
      throwIfInterrupted();
      held.push(lines);
      heldBytes += lines.length;
      if (!isRead && heldBytes < maxHeldBytes) continue;
      await reading.promise;
      if (isGivenUp) return;
      await compareHeld();
    }
    await reading.promise;
    if (!isGivenUp) await compareHeld();
  };
  // Postgres sends them while the file is read.
  const comparing = compareRecords();
  comparing.catch(() => undefined);
  const readRows = async (): Promise<boolean> => {
    const began = performance.now();
    let n = 0;
    const { skipUnchanged } = rows;
    for await (const batch of readFileRows(storage, { key: upload.key, profile, reader, skipUnchanged })) {
      throwIfInterrupted();
      for (const row of batch) {
        n += 1;
        if (row !== skippedRow && !rows.add(row, n)) return false;
      }
      rows.endBatch(n);
      if (performance.now() - began > maxReadingMs) return false;
    }
    return true;
  };
  try {
    isRead = await readRows();
    isGivenUp = !isRead;
    reading.resolve();
    await comparing;
    return isRead ? rows : undefined;
  } catch (error) {
    isGivenUp = true;
    reading.resolve();
    await comparing.catch(() => undefined);
    throw error;
  } finally {
    if (isGivenUp) {
      rows.free();
      for (const lines of held) freeBytes(lines);
    }
  }
}
