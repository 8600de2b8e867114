import { openFile } from '#src/imports/formats/archives/open-file.ts';
import { readers } from '#src/imports/formats/formats.ts';
import {
  FileFault,
  type FileRecord,
  maxRecords,
  type SkipUnchanged,
  skippedRecord,
} from '#src/imports/formats/records/records.ts';
import { findCharacters } from '#src/imports/formats/text/encodings.ts';
import { assertNotUtf8 } from '#src/imports/formats/text/single-byte.ts';
import { AppError } from '#src/infra/errors.ts';
import type { Storage } from '#src/infra/storage/storage.ts';
import type { KeptProfile } from './profiles.inputs.ts';
import { type ReadRow, type RowReader, skippedRow } from './row-reader.rules.ts';

/**
 * The rows of a stored file, some at a time, without the first `skip` rows. `onBytes` is called with the bytes of the
 * file that have been read. Rows whose bytes `skipUnchanged` took are answered as `skippedRow`. Throws FileFault.
 */
export async function* readFileRows(
  storage: Storage,
  {
    key,
    profile,
    reader,
    skip = 0,
    onBytes,
    skipUnchanged,
  }: {
    key: string;
    profile: KeptProfile;
    reader: RowReader;
    skip?: number;
    onBytes?: (read: number) => void;
    skipUnchanged?: SkipUnchanged | undefined;
  },
): AsyncGenerator<ReadRow[]> {
  const read = readers[profile.format];
  if (!read) throw new FileFault(`Files of the format ${profile.format} cannot be read.`);
  const bytes = openFile(counted(await openStored(storage, key), onBytes), profile);
  let records = 0;
  for await (const batch of read(bytes, { ...profile, wanted: reader.wanted, skipUnchanged })) {
    const fresh = batch.slice(Math.max(0, skip - records));
    records += batch.length;
    if (records > maxRecords) throw new FileFault(`The file has more than ${maxRecords} rows. Send it in parts.`);
    await reader.compute?.(fresh);
    const readRow = (record: FileRecord): ReadRow => (record === skippedRecord ? skippedRow : reader.read(record));
    if (fresh.length > 0) yield fresh.map(readRow);
  }
}

/** Throws FileFault where a file begins in UTF-8 and its profile reads another encoding, for those who do not read it to its end. */
export async function assertEncoding(
  storage: Storage,
  { key, profile: { format, encoding } }: { key: string; profile: KeptProfile },
): Promise<void> {
  if (format !== 'csv' || findCharacters(encoding) === undefined) return;
  for await (const chunk of openFile(await openStored(storage, key), { format })) {
    assertNotUtf8(chunk, encoding);
    return;
  }
}

/** An API host took the file, and this process may be on another. */
async function openStored(storage: Storage, key: string): Promise<AsyncIterable<Buffer>> {
  try {
    return await storage.stream(key);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'NOT_FOUND') throw error;
    const fault = `The file ${key} is not in DATA_DIR/storage here. Mount one volume there on all hosts, or set S3_BUCKET.`;
    throw new Error(fault, { cause: error });
  }
}

async function* counted(bytes: AsyncIterable<Buffer>, onBytes?: (read: number) => void): AsyncGenerator<Buffer> {
  let read = 0;
  for await (const chunk of bytes) {
    read += chunk.length;
    onBytes?.(read);
    yield chunk;
  }
}
