import { isUtf8 } from 'node:buffer';
import { FileFault } from '#src/imports/formats/records/records.ts';
import { findCharacters, guessEncoding } from './encodings.ts';
import { decodeByTable } from './single-byte.ts';

/** The file as UTF-8 without a byte-order mark. Throws FileFault for bytes that are not of the encoding. */
export async function* decode(bytes: AsyncIterable<Buffer>, encoding: string): AsyncGenerator<Buffer> {
  const characters = findCharacters(encoding);
  if (encoding === 'utf-8') yield* checkUtf8(bytes);
  else if (characters === undefined) yield* decodeByNode(bytes, encoding);
  else yield* decodeByTable(bytes, characters);
}

/** Bytes of which text in UTF-16 has a NUL, if only in its delimiters and line breaks. */
const tellingBytes = 64;

async function* decodeByNode(bytes: AsyncIterable<Buffer>, encoding: string): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  const isUtf16 = encoding.startsWith('utf-16');
  let read = 0;
  const text = (chunk: Buffer | undefined): Buffer => {
    try {
      return Buffer.from(decoder.decode(chunk, { stream: chunk !== undefined }));
    } catch {
      throw wrongEncoding(encoding, read, chunk);
    }
  };
  for await (const chunk of bytes) {
    if (isUtf16 && read === 0 && chunk.length >= tellingBytes && isOther(chunk, encoding))
      throw wrongEncoding(encoding, read, chunk);
    yield text(chunk);
    read += chunk.length;
  }
  yield text(undefined);
}

/** True if text is not UTF-16 of this byte order, in which nearly any bytes are characters, mostly Chinese ones. */
function isOther(chunk: Buffer, encoding: string): boolean {
  const guess = guessEncoding(chunk);
  return guess.startsWith('utf-16') ? guess !== encoding : !chunk.includes(0);
}

const mark = Buffer.from([0xef, 0xbb, 0xbf]);

/** Passes UTF-8 on. Decoding it to text and back costs ten times as much as checking it. */
async function* checkUtf8(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  let read = 0;
  let isFirst = true;
  for await (const chunk of bytes) {
    let whole = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    if (isFirst && whole.length < mark.length) {
      rest = whole;
      continue;
    }
    if (isFirst && whole.subarray(0, mark.length).equals(mark)) whole = whole.subarray(mark.length);
    isFirst = false;
    const end = endOfWhole(whole);
    const complete = whole.subarray(0, end);
    if (!isUtf8(complete)) throw wrongEncoding('utf-8', read, complete);
    read += complete.length;
    rest = whole.subarray(end);
    if (complete.length > 0) yield complete;
  }
  if (!isUtf8(rest)) throw wrongEncoding('utf-8', read, rest);
  if (rest.length > 0) yield rest;
}

/** Where the last character that may not be whole begins. */
function endOfWhole(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(4, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] as number;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

function wrongEncoding(encoding: string, from: number, bytes: Buffer = Buffer.alloc(0)): FileFault {
  const guess = guessEncoding(bytes);
  const advice =
    guess === encoding
      ? 'Name its encoding in the profile.'
      : `It looks like ${guess}: set "encoding" to that in the profile, or send it in ${encoding}.`;
  return new FileFault(`The file is not in the encoding ${encoding}: see the bytes from ${from} on. ${advice}`);
}
