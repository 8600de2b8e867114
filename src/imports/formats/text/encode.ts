import { FileFault } from '#src/imports/formats/records/records.ts';
import { findCharacters } from './encodings.ts';

/** UTF-8 in another encoding. Throws FileFault for a character that the encoding lacks. */
export async function* encode(chunks: AsyncIterable<Buffer>, encoding: string): AsyncGenerator<Buffer> {
  if (encoding === 'utf-8') {
    yield* chunks;
    return;
  }
  const characters = findCharacters(encoding);
  const toBytes = characters === undefined ? toUtf16(encoding) : toSingleBytes(characters, encoding);
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  // Readers tell the two orders of UTF-16 apart by the mark.
  if (characters === undefined) yield toBytes('\ufeff');
  for await (const chunk of chunks) yield toBytes(decoder.decode(chunk, { stream: true }));
}

const toUtf16 =
  (encoding: string) =>
  (text: string): Buffer => {
    const bytes = Buffer.from(text, 'utf16le');
    return encoding === 'utf-16be' ? bytes.swap16() : bytes;
  };

/** Node decodes most of these encodings and encodes none of them. */
function toSingleBytes(characters: string, encoding: string): (text: string) => Buffer {
  const bytesByCharacter = new Map(Array.from(characters, (character, byte) => [character, byte]));
  return (text) =>
    Buffer.from(
      Array.from(text, (character) => {
        const byte = bytesByCharacter.get(character);
        if (byte !== undefined) return byte;
        throw new FileFault(`${encoding} has no character "${character}". Use another encoding in the profile.`);
      }),
    );
}
