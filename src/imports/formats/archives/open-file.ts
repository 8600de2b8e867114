import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { FileFault } from '#src/imports/formats/records/records.ts';
import { maxUnpacked, onlyMember, withArchive } from './archive.ts';
import { refuseOtherKinds } from './file-kinds.ts';

const gzipMark = Buffer.from([0x1f, 0x8b]);
const zipMark = Buffer.from('PK\u0003\u0004');
/** How an archive without files begins. */
const emptyZipMark = Buffer.from('PK\u0005\u0006');

export const isZip = (head: Buffer): boolean =>
  [zipMark, emptyZipMark].some((mark) => head.subarray(0, mark.length).equals(mark));

/** The bytes of a file that a profile of this format reads, as `unpackFile` answers them. Throws FileFault for a file of another kind. */
export async function* openFile(source: AsyncIterable<Buffer>, { format }: { format: string }): AsyncGenerator<Buffer> {
  yield* refuseOtherKinds(unpackFile(source, { format }), format);
}

/**
 * The bytes of a file, unpacked where its first bytes say that it is packed with gzip, or with zip: the archive then has one file.
 * `format`: that of the profile. Workbooks are archives themselves, and stay as they are.
 */
export async function* unpackFile(
  source: AsyncIterable<Buffer>,
  { format }: { format?: string } = {},
): AsyncGenerator<Buffer> {
  const packed = source[Symbol.asyncIterator]();
  let head: Buffer = Buffer.alloc(0);
  let ended = false;
  while (head.length < zipMark.length && !ended) {
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
    if (head.subarray(0, gzipMark.length).equals(gzipMark)) yield* gunzip(whole());
    else if (format !== 'xlsx' && isZip(head))
      yield* withArchive(whole(), { maxBytes: maxUnpacked, use: (archive) => onlyMember(archive, format) });
    else yield* whole();
  } finally {
    await packed.return?.();
  }
}

/** Four times zlib's own: each chunk is a task of its own for another thread, and larger ones unpack four times as fast. */
const chunkSize = 64 * 1024;

async function* gunzip(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const gunzipped = createGunzip({ chunkSize });
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
