import { isUtf8 } from 'node:buffer';
import { FileFault } from './file-fault.ts';

/** The file as UTF-8 without a byte-order mark. Throws FileFault for bytes that are not of the encoding. */
export async function* decode(bytes: AsyncIterable<Buffer>, encoding: string): AsyncGenerator<Buffer> {
  if (encoding === 'utf-8') {
    yield* checkUtf8(bytes);
    return;
  }
  const decoder = new TextDecoder(encoding, { fatal: true });
  let read = 0;
  const text = (chunk?: Buffer): Buffer => {
    try {
      return Buffer.from(decoder.decode(chunk, { stream: chunk !== undefined }));
    } catch {
      throw notOf(encoding, read);
    }
  };
  for await (const chunk of bytes) {
    yield text(chunk);
    read += chunk.length;
  }
  yield text();
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
    if (!isUtf8(complete)) throw notOf('utf-8', read);
    read += complete.length;
    rest = whole.subarray(end);
    if (complete.length > 0) yield complete;
  }
  if (!isUtf8(rest)) throw notOf('utf-8', read);
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

const notOf = (encoding: string, from: number): FileFault =>
  new FileFault(
    `The file is not in the encoding ${encoding}: see the bytes from ${from} on. Name its encoding in the profile.`,
  );
