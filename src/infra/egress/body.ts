import type { Transform } from 'node:stream';
import { promisify } from 'node:util';
import {
  brotliDecompress,
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
  gunzip,
  inflate,
  inflateRaw,
  zstdDecompress,
} from 'node:zlib';
import { EgressError } from './errors.ts';

type Decode = (body: Buffer, maxOutputLength: number) => Promise<Buffer>;

const unzip = promisify(gunzip);
const unbrotli = promisify(brotliDecompress);
const unzstd = promisify(zstdDecompress);
const unwrap = promisify(inflate);
const unwrapRaw = promisify(inflateRaw);

/** Servers send `deflate` both with and without the zlib header, whose first byte ends in 8. */
const decodeDeflate: Decode = (body, maxOutputLength) =>
  ((body[0] ?? 0) & 0x0f) === 8 ? unwrap(body, { maxOutputLength }) : unwrapRaw(body, { maxOutputLength });

/** RFC 9659 allows a window of at most 8 MiB; a larger one would let a few bytes claim a gigabyte. */
const zstdParams = { [constants.ZSTD_d_windowLogMax]: 23 };
const decodeZstd: Decode = (body, maxOutputLength) => unzstd(body, { maxOutputLength, params: zstdParams });

const decodeGzip: Decode = (body, maxOutputLength) => unzip(body, { maxOutputLength });

const decoders: ReadonlyMap<string, Decode> = new Map([
  ['gzip', decodeGzip],
  ['x-gzip', decodeGzip],
  ['deflate', decodeDeflate],
  ['br', (body, maxOutputLength) => unbrotli(body, { maxOutputLength })],
  ['zstd', decodeZstd],
]);

/** The content encodings that we can decode. */
export const acceptEncoding = 'gzip, deflate, br, zstd';

export const tooLarge = (where: string, maxBytes: number): EgressError =>
  new EgressError('too_large', `The response of ${where} is larger than ${maxBytes} bytes.`);

/** Undoes one content coding. Output stops at `maxBytes`, so a decompression bomb costs no more memory than a real body. */
export const decodeBody = async (
  body: Buffer,
  encoding: string,
  options: { where: string; maxBytes: number },
): Promise<Buffer> => {
  const { where, maxBytes } = options;
  const decode = decoders.get(encoding);
  if (!decode) throw new EgressError('protocol', `The response of ${where} has an unsupported content encoding.`);
  try {
    return await decode(body, maxBytes);
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ERR_BUFFER_TOO_LARGE')
      throw tooLarge(where, maxBytes);
    throw new EgressError('protocol', `The response of ${where} is not valid ${encoding}.`, { cause });
  }
};

const streams: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  // Some servers leave out the zlib header; such a stream is refused.
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
  ['zstd', () => createZstdDecompress({ params: zstdParams })],
]);

/** Returns a stream that undoes one content coding; the reader bounds its output. */
export function createDecoder(encoding: string, where: string): Transform {
  const create = streams.get(encoding);
  if (!create) throw new EgressError('protocol', `The response of ${where} has an unsupported content encoding.`);
  return create();
}
