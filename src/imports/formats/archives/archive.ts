import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32 } from 'node:zlib';
import { type Entry, getFileNameLowLevel, openPromise, validateFileName } from 'yauzl';
import { FileFault } from '#src/imports/formats/records/records.ts';

/** Bytes that a packed file may unpack to. */
export const maxUnpacked = 1024 * 1024 * 1024;
/** More files than any workbook has. */
const maxEntries = 10_000;

/** The methods of packing that are unpacked. */
const [stored, deflated] = [0, 8];

/** A zip archive that has been read whole. */
export interface Archive {
  /** Files by their names. */
  entries: ReadonlyMap<string, Entry>;
  /** The bytes of a file; undefined where the archive has none of the name. */
  read: (name: string) => AsyncGenerator<Buffer> | undefined;
}

/**
 * Gives `use` an archive, whose directory stands at its end: the file is kept on disk meanwhile. Throws FileFault above `maxBytes`, for
 * an archive that unpacks to more than a gibibyte, and for one that is encrypted or damaged.
 */
export async function* withArchive<T>(
  source: AsyncIterable<Buffer>,
  { maxBytes, use }: { maxBytes: number; use: (archive: Archive) => AsyncGenerator<T> },
): AsyncGenerator<T> {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-archive-'));
  try {
    const path = join(folder, 'file.zip');
    await pipeline(limited(source, maxBytes), createWriteStream(path, { mode: 0o600 }));
    const zip = await openPromise(path, { lazyEntries: true, autoClose: false, decodeStrings: false });
    try {
      const entries = new Map<string, Entry>();
      let unpacked = 0;
      for await (const entry of zip.eachEntry()) {
        unpacked += entry.uncompressedSize;
        if (unpacked > maxUnpacked || entries.size >= maxEntries) throw tooLarge();
        if (entry.isEncrypted()) throw new FileFault('The archive is encrypted. Send it without a password.');
        const name = readName(entry);
        if (name.endsWith('/')) continue;
        if (entries.has(name))
          throw new FileFault(
            `The archive has two files named ${shownName(name)}. Give each file a name of its own, and pack them again.`,
          );
        entries.set(name, entry);
      }
      const read = (name: string): AsyncGenerator<Buffer> | undefined => {
        const entry = entries.get(name);
        if (entry && ![stored, deflated].includes(entry.compressionMethod))
          throw new FileFault(
            `The archive is packed by method ${entry.compressionMethod}. Pack it with deflate, as most programs do.`,
          );
        return entry && unpack(name, entry, zip.openReadStreamPromise(entry));
      };
      yield* use({ entries, read });
    } finally {
      zip.close();
    }
  } catch (error) {
    throw isOfArchive(error) ? new FileFault('The archive is damaged or cut short.', { cause: error }) : error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The name of an entry. Read here and not by the library, whose error for a name that leads elsewhere looks like one of damage. */
function readName({ generalPurposeBitFlag, fileNameRaw, extraFields }: Entry): string {
  const name = getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, false);
  if (validateFileName(name) !== null)
    throw new FileFault(
      `The archive has a file at ${shownName(name)}, which leads out of the folder of the archive. Pack it with a path that has no "..", drive or leading slash.`,
    );
  return name;
}

const shownName = (name: string): string => JSON.stringify(name.slice(0, 200));

const tooLarge = (): FileFault =>
  new FileFault(`The file unpacks to more than ${maxUnpacked} bytes. Send it in parts.`);

async function* limited(source: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of source) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new FileFault(`A packed file may have at most ${maxBytes} bytes. Send it in parts.`);
    yield chunk;
  }
}

/**
 * A file's bytes. The library holds them to the size that the archive says, and does not compare their checksum: a changed byte of a
 * file that is stored without compression would be read as it is.
 */
async function* unpack(name: string, { crc32: stated }: Entry, opening: Promise<Readable>): AsyncGenerator<Buffer> {
  let sum = 0;
  for await (const chunk of (await opening) as AsyncIterable<Buffer>) {
    sum = crc32(chunk, sum);
    yield chunk;
  }
  if (sum !== stated)
    throw new FileFault(
      `The archive is damaged: the checksum of its file ${name.slice(0, 200)} is wrong. Send it again.`,
    );
}

/** The library throws plain errors, and zlib and decoders those with their codes. */
function isOfArchive(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof FileFault) return false;
  const { code } = error as NodeJS.ErrnoException;
  return code === undefined ? Object.getPrototypeOf(error) === Error.prototype : /^(Z_|ERR_ENCODING_)/.test(code);
}

/** The one file of an archive, leaving out what macOS adds. `format`: that which the file should have, where one is known. */
export async function* onlyMember({ entries, read }: Archive, format?: string): AsyncGenerator<Buffer> {
  if (format !== undefined && entries.has('xl/workbook.xml'))
    throw new FileFault(
      `The file is a workbook (xlsx), and the profile reads ${format}. Use a profile that reads xlsx, or send the file as ${format}.`,
    );
  const names = [...entries.keys()].filter((name) => !name.startsWith('__MACOSX/'));
  const [name = ''] = names;
  if (names.length !== 1) throw new FileFault(`The archive has ${names.length} files. Send one with a single file.`);
  yield* read(name) ?? [];
}
