import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib';

/** A file of an archive that cannot be used; the message says why. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError';
}

// A file: one line with the format, a salt, and frames. A frame: its length, ciphertext of AES-256-GCM, and tag; the last one is marked in its
// nonce, so that a file that was cut off is noticed. The key of a file derives from the transfer key, the salt and the name.
const format = 1;
const firstLine = (version: number | string): string => `causeway-move ${version}\n`;
const head = Buffer.from(firstLine(format));
const saltBytes = 16;
const tagBytes = 16;
const frameBytes = 256 * 1024;
/** The first frame that does not open tells a wrong key; later ones a damaged file. */
const wrongKey = 'the transfer key is another, or the file is damaged or was renamed';

const fileKey = (key: Uint8Array, salt: Uint8Array, name: string): Buffer =>
  Buffer.from(hkdfSync('sha256', key, salt, `causeway/move/${name}`, 32));

function nonce(frame: number, isLast: boolean): Buffer {
  const bytes = Buffer.alloc(12);
  bytes.writeBigUInt64BE(BigInt(frame));
  bytes.writeUInt8(isLast ? 1 : 0, 11);
  return bytes;
}

/** Encrypted and compressed files in a folder; each appears under its name whole or not at all. */
export interface SealedFiles {
  folder: string;
  key: Uint8Array;
}

const toPath = ({ folder }: SealedFiles, name: string): string => join(folder, `${name}.sealed`);

/** Writes a file. */
export async function writeSealed(files: SealedFiles, name: string, content: AsyncIterable<Buffer>): Promise<void> {
  const path = toPath(files, name);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const salt = randomBytes(saltBytes);
  const key = fileKey(files.key, salt, name);
  const compress = createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 1 } });
  const partial = `${path}.partial`;
  await pipeline(
    content,
    compress,
    async function* seal(compressed: AsyncIterable<Buffer>) {
      yield Buffer.concat([head, salt]);
      let frame = 0;
      for await (const plain of inFrames(compressed)) {
        yield sealFrame(key, nonce(frame, false), plain);
        frame += 1;
      }
      yield sealFrame(key, nonce(frame, true), Buffer.alloc(0));
    },
    createWriteStream(partial, { mode: 0o600, flush: true }),
  );
  await rename(partial, path);
}

async function* inFrames(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    held.push(chunk);
    bytes += chunk.length;
    if (bytes < frameBytes) continue;
    yield Buffer.concat(held);
    held = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(held);
}

function sealFrame(key: Buffer, iv: Buffer, plain: Buffer): Buffer {
  const cipher = createCipheriv('aes-256-gcm', key, iv, { authTagLength: tagBytes });
  const body = Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length);
  return Buffer.concat([length, body]);
}

/** Reads a file. Throws ArchiveError if it is of another version, damaged, cut off, or was sealed with another key. */
export async function* readSealed(files: SealedFiles, name: string): AsyncGenerator<Buffer> {
  const opened = openFrames(files, name);
  const decompress = createZstdDecompress();
  const done = pipeline(opened, decompress);
  // Handled: the loop below fails with the same error.
  done.catch(() => undefined);
  try {
    yield* decompress as AsyncIterable<Buffer>;
  } finally {
    decompress.destroy();
  }
  await done;
}

async function* openFrames(files: SealedFiles, name: string): AsyncGenerator<Buffer> {
  const fail = (reason: string, cause?: unknown): never => {
    throw new ArchiveError(`${toPath(files, name)} cannot be read: ${reason}.`, { cause });
  };
  const bytes = readExactly(toPath(files, name));
  const line = (await bytes(head.length)) ?? Buffer.alloc(0);
  if (!line.equals(head)) {
    const found = /^causeway-move (\d+)/.exec(line.toString('latin1'))?.[1];
    fail(
      found === undefined
        ? 'it is no part of an archive of a tenant'
        : `it has format ${found}, and this version reads format ${format}`,
    );
  }
  const salt = (await bytes(saltBytes)) ?? fail('it is cut off');
  const key = fileKey(files.key, salt, name);
  for (let frame = 0; ; frame += 1) {
    const length = (await bytes(4)) ?? fail('it is cut off');
    const size = length.readUInt32BE();
    if (size < tagBytes || size > 64 * 1024 * 1024) fail('it is damaged');
    const body = (await bytes(size)) ?? fail('it is cut off');
    const isLast = size === tagBytes;
    const decipher = createDecipheriv('aes-256-gcm', key, nonce(frame, isLast), { authTagLength: tagBytes });
    decipher.setAuthTag(body.subarray(size - tagBytes));
    const plain = decipher.update(body.subarray(0, size - tagBytes));
    try {
      decipher.final();
    } catch (cause) {
      fail(frame === 0 ? wrongKey : 'it is damaged', cause);
    }
    if (isLast) return;
    yield plain;
  }
}

/** Returns a function that reads so many bytes of a file; undefined where it ends before them. */
function readExactly(path: string): (size: number) => Promise<Buffer | undefined> {
  const chunks = createReadStream(path)[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let held: Buffer = Buffer.alloc(0);
  return async (size) => {
    const parts = [held];
    let bytes = held.length;
    while (bytes < size) {
      const next = await chunks.next();
      if (next.done === true) return undefined;
      parts.push(next.value);
      bytes += next.value.length;
    }
    const all = parts.length === 1 ? held : Buffer.concat(parts);
    held = all.subarray(size);
    return all.subarray(0, size);
  };
}

/** True if the file is there, whole. */
/** True if the folder contains a file of an archive. */
export async function holdsSealed({ folder }: SealedFiles): Promise<boolean> {
  const names = await readdir(folder, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return names.some((name) => name.endsWith('.sealed'));
}

export async function hasSealed(files: SealedFiles, name: string): Promise<boolean> {
  try {
    await (await open(toPath(files, name))).close();
    return true;
  } catch {
    return false;
  }
}

export const writeSealedJson = (files: SealedFiles, name: string, value: unknown): Promise<void> =>
  writeSealed(files, name, one(Buffer.from(JSON.stringify(value))));

async function* one(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

export async function readSealedJson(files: SealedFiles, name: string): Promise<unknown> {
  const parts: Buffer[] = [];
  for await (const part of readSealed(files, name)) parts.push(part);
  return JSON.parse(Buffer.concat(parts).toString('utf8'));
}
