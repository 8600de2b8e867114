import type { RowReader } from '#src/imports/profiles/row-reader.rules.ts';
import type { ImportDeps } from '#src/imports/targets/import-deps.ts';
import type { ImportTarget } from '#src/imports/targets/target.ts';
import type { TakenJob } from './bulk-jobs.store.ts';
import { createRecordIndex, type RecordIndex } from './stored-records.rules.ts';

/** Memory for records: a million of 32 bytes. */
const mostBytes = 32 * 1024 * 1024;
/** Beside what records of as many bytes as the file take, for one of few rows. */
const sparedBytes = 64 * 1024;
/** Bytes of the file for each record that is read: reading all records is worth it for a file that names many of them. */
const bytesOfRecord = 8;
/** Workbooks are packed: a row takes a quarter of what it takes in other formats, or less. */
const packedTo = (format: string): number => (format === 'xlsx' ? 1 / 4 : 1);

/** Reads the records that the rows of a file of so many bytes can be compared with; undefined where they are too many for that. */
export async function readStored(
  { database }: ImportDeps,
  { tenantId, profile }: TakenJob,
  { reader, target, bytes }: { reader: RowReader; target: ImportTarget; bytes: number },
): Promise<RecordIndex | undefined> {
  const stored = target.stored?.(profile);
  if (!stored) return undefined;
  const unpacked = bytes / packedTo(profile.format);
  const most = Math.ceil(unpacked / bytesOfRecord);
  const maxBytes = Math.min(mostBytes, Math.ceil(2 * unpacked) + sparedBytes);
  const index = createRecordIndex(reader.columns, { key: target.key, stored, maxBytes });
  const statement = `COPY (${stored.sql} LIMIT ${most + 1}) TO STDOUT WITH (NULL '')`;
  for await (const lines of database.copyOut(tenantId, statement)) if (!index.add(lines)) return undefined;
  return index.count() > most ? undefined : index;
}
