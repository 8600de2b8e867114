import { createHash, randomUUID } from 'node:crypto';
import { Readable, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Disk } from 'flydrive';
import type { DriverContract } from 'flydrive/types';
import { AppError } from '#src/infra/errors.ts';
import { measure, tooLarge, verify } from './hashed-streams.ts';
import { isFull, StorageFullError } from './storage-full.ts';

/** A stored object; its `key` is derived from its content. */
export interface StoredObject {
  /** `sha256/<first two hex digits>/<64 hex digits>`. */
  key: string;
  /** Hex. */
  sha256: string;
  bytes: number;
}

export interface Storage {
  /**
   * Stores bytes under their hash; storing the same bytes again costs one lookup. Throws 413 above `maxBytes`, and StorageFullError if
   * there is no space left.
   */
  put(content: Uint8Array | Readable, options: { maxBytes: number }): Promise<StoredObject>;
  /** Returns the whole object; throws NOT_FOUND, or PAYLOAD_TOO_LARGE above `maxBytes`. */
  get(key: string, options: { maxBytes: number }): Promise<Buffer>;
  /** Streams the object; the stream fails at its end when the bytes do not match the key. Throws NOT_FOUND. */
  stream(key: string): Promise<Readable>;
  exists(key: string): Promise<boolean>;
  /** Idempotent. */
  delete(key: string): Promise<void>;
  /** Deletes incomplete objects that killed processes left before `before`; returns whether there may be more. */
  sweep(before: Date): Promise<boolean>;
  /** True if the storage can be reached, determined within a second; always true for a directory. */
  isReachable(): Promise<boolean>;
  /** False after a write failed for lack of space, until a file of a megabyte fits again. */
  hasRoom(): Promise<boolean>;
}

/** A flydrive driver, with the operations that flydrive lacks. */
export interface StorageDriver extends DriverContract {
  /** Aborts at most `limit` uploads under `incoming` that began before a time and are unfinished; returns how many. */
  deleteUnfinished?(before: Date, limit: number): Promise<number>;
  /** True if the storage behind it responds. */
  isReachable?(): Promise<boolean>;
}

/** Prefix of an object's key while the object is being written. */
export const incoming = 'incoming/';

const keyPattern = /^sha256\/([0-9a-f]{2})\/(\1[0-9a-f]{62})$/;

/** The key of bytes with this hash. */
export const objectKey = (sha256: string): string => `sha256/${sha256.slice(0, 2)}/${sha256}`;

/** Keys come back from the database, so they are checked: only a key that `put` returned names an object. */
const parseKey = (key: string): { key: string; sha256: string } => {
  const sha256 = keyPattern.exec(key)?.[2];
  if (sha256 === undefined) throw new AppError('NOT_FOUND');
  return { key, sha256 };
};

/** The cause of the driver's failure, which flydrive wraps: no space, an outage, or a bug. */
function toFailure(error: unknown): unknown {
  if (isFull(error)) return new StorageFullError(error);
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (cause instanceof AppError) return cause;
  return error;
}

const isAbort = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError';

const fail = (error: unknown): never => {
  throw toFailure(error);
};

/** The metadata of an object that no longer exists. */
const gone = { lastModified: new Date(8.64e15) };

const probeBytes = 1_048_576;

/** Limits of one call of `sweep`: objects deleted and pages read. */
const sweptAtOnce = 1_000;
const sweptPages = 100;

/**
 * Content-addressed storage over a flydrive driver. An object appears under its key whole or not at all: it is written under
 * a temporary key and then moved.
 */
export const createStorage = (driver: StorageDriver): Storage => {
  const disk = new Disk(driver);
  const room = new RoomWatch(disk);
  const exists = (key: string): Promise<boolean> => disk.exists(key).catch(fail);
  const stream = async (key: string): Promise<Readable> => {
    const { sha256 } = parseKey(key);
    if (!(await exists(key))) throw new AppError('NOT_FOUND');
    const source = await disk.getStream(key).catch(fail);
    const checked = verify(sha256);
    // A failure is reported by the stream's 'error' event.
    pipeline(source, checked).catch(() => undefined);
    return checked;
  };
  return {
    async put(content, { maxBytes }) {
      if (!(content instanceof Uint8Array)) return room.watch(storeStream(disk, content, maxBytes));
      const stored = describe(content, maxBytes);
      if (await exists(stored.key)) return stored;
      return room.watch(storeStream(disk, Readable.from([content]), maxBytes));
    },
    get: async (key, { maxBytes }) => readWhole(await stream(key), maxBytes),
    stream,
    exists: async (key) => exists(parseKey(key).key),
    delete: async (key) => disk.delete(parseKey(key).key).catch(fail),
    sweep: (before) => sweepIncoming(driver, disk, before),
    hasRoom: () => room.hasRoom(),
    isReachable: async () => (await driver.isReachable?.()) ?? true,
  };
};

function describe(content: Uint8Array, maxBytes: number): StoredObject {
  if (content.length > maxBytes) throw tooLarge(maxBytes);
  const sha256 = createHash('sha256').update(content).digest('hex');
  return { key: objectKey(sha256), sha256, bytes: content.length };
}

async function storeStream(disk: Disk, source: Readable, maxBytes: number): Promise<StoredObject> {
  const { through, result } = measure(maxBytes);
  const temporary = `${incoming}${randomUUID()}`;
  try {
    await write(disk, source, through, temporary);
    const { sha256, bytes } = result();
    const stored = { key: objectKey(sha256), sha256, bytes };
    if (await disk.exists(stored.key)) await disk.delete(temporary);
    else await disk.move(temporary, stored.key);
    return stored;
  } catch (error) {
    await disk.delete(temporary).catch(() => undefined);
    throw toFailure(error);
  }
}

/** Settles only when both sides have ended, so that cleanup is safe; a failure of the source takes precedence. */
async function write(disk: Disk, source: Readable, through: Transform, key: string): Promise<void> {
  const written = disk.putStream(key, through).catch((error: Error) => {
    through.destroy(error);
    throw error;
  });
  const sides = await Promise.allSettled([pipeline(source, through), written]);
  const reasons: unknown[] = sides.flatMap((side) => (side.status === 'rejected' ? [side.reason] : []));
  // A stream ends with an AbortError when its reader gives up; the reader's error is the reason.
  if (reasons.length > 0) throw reasons.find((reason) => !isAbort(reason)) ?? reasons[0];
}

async function readWhole(source: Readable, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of source) {
    bytes += (chunk as Buffer).length;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks, bytes);
}

async function sweepIncoming(driver: StorageDriver, disk: Disk, before: Date): Promise<boolean> {
  let deleted = (await driver.deleteUnfinished?.(before, sweptAtOnce).catch(fail)) ?? 0;
  let paginationToken: string | undefined;
  for (let page = 0; page < sweptPages; page += 1) {
    const list = await disk.listAll(incoming, { ...(paginationToken !== undefined && { paginationToken }) });
    for (const object of list.objects) {
      if (deleted >= sweptAtOnce) return true;
      // If it is gone, its upload finished or another process deleted it.
      if (object.isDirectory) continue;
      const { lastModified } = await object.getMetaData().catch(() => gone);
      if (lastModified >= before) continue;
      await disk.delete(object.key).catch(fail);
      deleted += 1;
    }
    ({ paginationToken } = list);
    if (paginationToken === undefined) return false;
  }
  return false;
}

/** Remembers that a write failed for lack of space, until a file of a megabyte fits again. */
class RoomWatch {
  readonly #disk: Disk;
  #isFull = false;
  #probing: Promise<boolean> | undefined;

  constructor(disk: Disk) {
    this.#disk = disk;
  }

  async watch<T>(write: Promise<T>): Promise<T> {
    try {
      return await write;
    } catch (error) {
      this.#isFull ||= error instanceof StorageFullError;
      throw error;
    }
  }

  async hasRoom(): Promise<boolean> {
    return !this.#isFull || (this.#probing ??= this.#probe());
  }

  async #probe(): Promise<boolean> {
    const key = `${incoming}${randomUUID()}`;
    try {
      await this.#disk.putStream(key, Readable.from([Buffer.alloc(probeBytes)]));
      this.#isFull = false;
    } catch (error) {
      this.#isFull = isFull(error);
    }
    await this.#disk.delete(key).catch(() => undefined);
    this.#probing = undefined;
    return !this.#isFull;
  }
}
