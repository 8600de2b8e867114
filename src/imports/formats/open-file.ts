import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { FileFault } from './file-fault.ts';

/** Bytes that a packed file may unpack to. */
const maxUnpacked = 1024 * 1024 * 1024;

/** The bytes of a file, unpacked where its first bytes say that it is packed with gzip. */
export async function* openFile(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const packed = source[Symbol.asyncIterator]();
  let head: Buffer = Buffer.alloc(0);
  let ended = false;
  while (head.length < 2 && !ended) {
    const { done, value } = await packed.next();
    if (done) ended = true;
    else head = Buffer.concat([head, value]);
  }
  async function* whole(): AsyncGenerator<Buffer> {
    if (head.length > 0) yield head;
    if (ended) return;
    for (;;) {
      const { done, value } = await packed.next();
      if (done) return;
      yield value;
    }
  }
  try {
    if (head[0] === 0x1f && head[1] === 0x8b) yield* gunzip(whole());
    else yield* whole();
  } finally {
    await packed.return?.();
  }
}

async function* gunzip(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const gunzipped = createGunzip();
  // A failure of either side ends the other, and is thrown by the loop.
  const feeding = pipeline(Readable.from(source), gunzipped).catch(() => undefined);
  let bytes = 0;
  try {
    for await (const chunk of gunzipped as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > maxUnpacked)
        throw new FileFault(`The file unpacks to more than ${maxUnpacked} bytes. Send it in parts.`);
      yield chunk;
    }
  } catch (error) {
    const isOfArchive = String((error as NodeJS.ErrnoException).code).startsWith('Z_');
    throw isOfArchive ? new FileFault('The gzip archive is damaged or cut short.', { cause: error }) : error;
  } finally {
    gunzipped.destroy();
    await feeding;
  }
}
