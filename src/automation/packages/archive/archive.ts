import { createGunzip } from 'node:zlib';
import { Parser } from 'tar';
import type { ReadEntry } from 'tar';
import { AppError } from '#src/infra/errors.ts';
import { claimPath, packagePath } from './archive-path.ts';

/** In bytes, except `files` and `ratio` (unpacked bytes per compressed byte). */
export interface ArchiveLimits {
  compressed: number;
  unpacked: number;
  file: number;
  files: number;
  ratio: number;
}

const MiB = 1024 * 1024;

export const archiveLimits: ArchiveLimits = {
  compressed: 32 * MiB,
  unpacked: 128 * MiB,
  file: 16 * MiB,
  files: 2000,
  ratio: 200,
};

/** A high ratio is harmless below this size: a small file of zeros compresses a thousandfold. */
const ratioJudgedFrom = MiB;

/** Long names and pax records are tiny; a larger one only aims to be buffered. */
const maxMetaBytes = 64 * 1024;

const chunkSize = 64 * 1024;
const zeros = Buffer.alloc(chunkSize);
const isZero = (bytes: Buffer): boolean => bytes.equals(zeros.subarray(0, bytes.byteLength));
const blockSize = 512;

const refuse = (reason: string): AppError => new AppError('UNPROCESSABLE', `The package archive ${reason}.`);

const sizeInMiB = (bytes: number): string => `${Number((bytes / MiB).toFixed(2))} MiB`;

/**
 * Reads an npm-pack archive (gzipped tar, everything under `package/`) into memory; writes nothing to disk.
 * Returns a map from paths relative to the package's root to contents, in archive order.
 *
 * Throws AppError UNPROCESSABLE (422) with the reason for anything but plain files and folders at plain paths, and for an
 * archive that unpacks past a limit; PAYLOAD_TOO_LARGE (413) when the compressed archive, the request's body, is too large.
 * Sizes are counted while streaming, so false headers and trailers do no harm.
 */
export async function readPackageArchive(
  source: Uint8Array | AsyncIterable<Uint8Array>,
  limits: ArchiveLimits = archiveLimits,
): Promise<Map<string, Buffer>> {
  const reader = new ArchiveReader(limits);
  const gunzip = createGunzip({ chunkSize });
  // The listener keeps a failure after the last read from ending the process; `for await` below reports it.
  gunzip.on('error', () => {});
  const feeding = feed(source, gunzip, limits, reader);
  try {
    for await (const chunk of gunzip) reader.write(chunk as Buffer);
    await feeding;
    return reader.finish();
  } catch (error) {
    throw error instanceof AppError ? error : refuse(`is not an intact gzip file (${describeError(error)})`);
  } finally {
    // Not awaited: `feed` notices this only at its next chunk, so a stalled upload would delay the response.
    gunzip.destroy();
  }
}

const describeError = (error: unknown): string => (error instanceof Error ? error.message : 'unreadable').slice(0, 200);

async function feed(
  source: Uint8Array | AsyncIterable<Uint8Array>,
  gunzip: ReturnType<typeof createGunzip>,
  limits: ArchiveLimits,
  reader: ArchiveReader,
): Promise<void> {
  try {
    for await (const chunk of source instanceof Uint8Array ? [source] : source) {
      reader.compressed += chunk.byteLength;
      if (reader.compressed > limits.compressed) {
        throw new AppError('PAYLOAD_TOO_LARGE', `The package archive is larger than ${sizeInMiB(limits.compressed)}.`);
      }
      if (gunzip.destroyed) return;
      if (!gunzip.write(chunk)) await drained(gunzip);
    }
    gunzip.end();
  } catch (error) {
    gunzip.destroy(error instanceof Error ? error : new Error('The upload was interrupted.'));
  }
}

/** Resolves when the stream accepts more data or has ended. */
const drained = (stream: ReturnType<typeof createGunzip>): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      stream.off('drain', done).off('close', done);
      resolve();
    };
    stream.on('drain', done).on('close', done);
  });

/** Parses the tar stream in chunks; a fault is kept and thrown at the next call. */
class ArchiveReader {
  compressed = 0;
  readonly #files = new Map<string, Buffer>();
  readonly #claimed = new Map<string, string>();
  readonly #limits: ArchiveLimits;
  readonly #parser: Parser;
  #unpacked = 0;
  #entries = 0;
  #sawEmptyBlock = false;
  #ended = false;
  #failure: AppError | undefined;

  constructor(limits: ArchiveLimits) {
    this.#limits = limits;
    this.#parser = new Parser({
      strict: true,
      maxMetaEntrySize: maxMetaBytes,
      // The input is unpacked already; a second layer would escape the counting.
      brotli: false,
      zstd: false,
      onReadEntry: (entry) => this.#attempt(() => this.#take(entry)),
    });
    this.#parser.on('meta', (text: string) => this.#attempt(() => this.#takeMeta(text)));
    this.#parser.on('nullBlock', () => {
      this.#sawEmptyBlock = true;
    });
    this.#parser.on('eof', () => {
      this.#ended = true;
    });
    this.#parser.on('ignoredEntry', (entry: ReadEntry) => {
      this.#failure ??= refuse(`holds "${shown(entry.path)}" of the unsupported kind ${entry.type}`);
    });
    this.#parser.on('error', (error: Error) => {
      this.#failure ??= refuse(`is not an intact tar file (${describeError(error)})`);
    });
  }

  write(chunk: Buffer): void {
    if (this.#unpacked === 0 && chunk[0] === 0x1f) throw refuse('is compressed twice');
    const startsAt = this.#unpacked;
    this.#unpacked += chunk.byteLength;
    const { unpacked, ratio } = this.#limits;
    if (this.#unpacked > unpacked) throw refuse(`unpacks to more than ${sizeInMiB(unpacked)}`);
    if (this.#unpacked > ratioJudgedFrom && this.#unpacked > this.compressed * ratio) {
      throw refuse(`unpacks to more than ${ratio} times its size`);
    }
    // Block by block, because the parser drops what follows the end within one write.
    let at = 0;
    while (!this.#ended && at < chunk.byteLength) {
      const end = at + blockSize - ((startsAt + at) % blockSize);
      this.#parser.write(chunk.subarray(at, end));
      if (this.#failure !== undefined) throw this.#failure;
      at = end;
    }
    if (!isZero(chunk.subarray(at))) throw refuse('holds data after its end');
  }

  finish(): Map<string, Buffer> {
    this.#parser.end();
    if (this.#failure !== undefined) throw this.#failure;
    return this.#files;
  }

  /** The parser calls back from inside its own loop, where a throw would leave it in an inconsistent state. */
  #attempt(step: () => void): void {
    if (this.#failure !== undefined) return;
    try {
      step();
    } catch (error) {
      this.#failure = error instanceof AppError ? error : refuse(describeError(error));
    }
  }

  #countEntry(): void {
    // Some readers treat one empty block as the end, others continue with the data after it.
    if (this.#sawEmptyBlock) throw refuse('holds data after its end');
    this.#entries += 1;
    // A file may come with a long-name record, a pax record and its own folders.
    if (this.#entries > this.#limits.files * 4) throw refuse(`holds more than ${this.#limits.files} files`);
  }

  #takeMeta(text: string): void {
    this.#countEntry();
    // The parser cuts a name at its first NUL, where another reader might not; GNU long names end in one.
    if (text.replace(/\0$/, '').includes('\0')) throw refuse('holds a name with a NUL in it');
  }

  #take(entry: ReadEntry): void {
    const chunks: Buffer[] = [];
    entry.on('data', (chunk: Buffer) => chunks.push(chunk));
    this.#countEntry();
    const label = `"${shown(entry.path)}"`;
    const isFolder = entry.type === 'Directory';
    if (!isFolder && entry.type !== 'File' && entry.type !== 'OldFile' && entry.type !== 'ContiguousFile') {
      throw refuse(`holds ${label}, which is a ${entry.type}; only plain files and folders are taken`);
    }
    // A file may name a target in its header, in a pax record or in a GNU record; other readers might follow it.
    if ([entry, entry.extended, entry.globalExtended].some((part) => part?.linkpath)) {
      throw refuse(`holds ${label}, which names the target of a link; only plain files and folders are taken`);
    }
    if (entry.extended?.size !== undefined || entry.globalExtended?.size !== undefined) {
      throw refuse(`states the size of ${label} twice`);
    }
    // The parser ignores it, where another reader might give every file that path.
    if (entry.globalExtended?.path !== undefined) throw refuse('sets a path for all files in a global header');
    const path = packagePath(entry.path, isFolder);
    if ('reason' in path) throw refuse(`holds ${label}: ${path.reason}`);
    const clash = claimPath(this.#claimed, path.path, isFolder);
    if (clash !== undefined) throw refuse(`holds ${label}: ${clash}`);
    if (isFolder) return;

    if (entry.size > this.#limits.file) throw refuse(`holds ${label} of more than ${sizeInMiB(this.#limits.file)}`);
    if (this.#files.size >= this.#limits.files) throw refuse(`holds more than ${this.#limits.files} files`);
    this.#files.set(path.path, Buffer.alloc(0));
    entry.on('end', () => this.#files.set(path.path, Buffer.concat(chunks)));
  }
}

/** A hostile path, bounded and printable for a message. */
const shown = (path: string): string => JSON.stringify(path.slice(0, 120)).slice(1, -1);
