import { isAscii, isUtf8 } from 'node:buffer';
import { FileFault } from '#src/imports/formats/records/records.ts';
import { isUtf8Part } from './encodings.ts';

/** Text of an encoding with these 256 characters as UTF-8. A table is as fast as Node's decoder, and knows encodings that it does not. */
export async function* decodeByTable(bytes: AsyncIterable<Buffer>, characters: string): AsyncGenerator<Buffer> {
  const encoded = Array.from(characters, (character) => Buffer.from(character));
  for await (const chunk of bytes) yield isAscii(chunk) ? chunk : decodeChunk(chunk, encoded);
}

function decodeChunk(chunk: Buffer, encoded: readonly Buffer[]): Buffer {
  const text = Buffer.allocUnsafeSlow(3 * chunk.length);
  let length = 0;
  for (let at = 0; at < chunk.length; at += 1) {
    const byte = chunk[at] as number;
    if (byte < 0x80) {
      text[length] = byte;
      length += 1;
      continue;
    }
    const character = encoded[byte] as Buffer;
    for (let place = 0; place < character.length; place += 1) {
      text[length] = character[place] as number;
      length += 1;
    }
  }
  return text.subarray(0, length);
}

/**
 * Passes bytes on, and throws FileFault at their end where all of them are UTF-8 with characters beyond ASCII: as text of another encoding,
 * each would be two or three wrong ones. Text that is both is not found in practice.
 */
export async function* refuseUtf8(bytes: AsyncIterable<Buffer>, encoding: string): AsyncGenerator<Buffer> {
  let isPossible = true;
  let example: string | undefined;
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of bytes) {
    if (isPossible && !(rest.length === 0 && isAscii(chunk))) {
      const whole = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
      const end = lastCharacter(whole);
      const complete = whole.subarray(0, end);
      rest = Buffer.from(whole.subarray(end));
      isPossible = isUtf8(complete) && rest.length < 4;
      if (isPossible) example ??= firstBeyondAscii(complete);
    }
    yield chunk;
  }
  if (isPossible && rest.length > 0) {
    isPossible = isUtf8(rest);
    example ??= firstBeyondAscii(rest);
  }
  if (isPossible && example !== undefined) throw mistakenUtf8(example, encoding);
}

/** Throws FileFault for the beginning of a file that is UTF-8 with characters beyond ASCII. */
export function assertNotUtf8(head: Buffer, encoding: string): void {
  const example = isUtf8Part(head) ? firstBeyondAscii(head) : undefined;
  if (example !== undefined) throw mistakenUtf8(example, encoding);
}

/** Where the last character begins that may not be whole; the length where there is none. */
function lastCharacter(bytes: Buffer): number {
  const from = Math.max(0, bytes.length - 3);
  for (let at = bytes.length - 1; at >= from; at -= 1) if ((bytes[at] as number) >= 0xc0) return at;
  return bytes.length;
}

/** The first character of UTF-8 beyond ASCII, but for a byte-order mark. */
function firstBeyondAscii(bytes: Buffer): string | undefined {
  if (isAscii(bytes)) return undefined;
  return /[^\0-\x7f\ufeff]/u.exec(bytes.toString())?.[0];
}

const mistakenUtf8 = (example: string, encoding: string): FileFault =>
  new FileFault(
    `The file is in utf-8 ("${example}" is one of its characters), and the profile reads it as ${encoding}. Set "encoding" to utf-8 in the profile.`,
  );
