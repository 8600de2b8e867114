import { FileFault } from './file-fault.ts';

/** UTF-8 in another encoding. Throws FileFault for a character that the encoding lacks. */
export async function* encode(chunks: AsyncIterable<Buffer>, encoding: string): AsyncGenerator<Buffer> {
  if (encoding === 'utf-8') {
    yield* chunks;
    return;
  }
  const toBytes = encoding === 'windows-1252' ? windows1252 : utf16;
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  // Readers tell the two orders of UTF-16 apart by the mark.
  if (encoding !== 'windows-1252') yield toBytes('\ufeff', encoding);
  for await (const chunk of chunks) yield toBytes(decoder.decode(chunk, { stream: true }), encoding);
}

function utf16(text: string, encoding: string): Buffer {
  const bytes = Buffer.from(text, 'utf16le');
  return encoding === 'utf-16be' ? bytes.swap16() : bytes;
}

/** Node decodes the encoding but does not encode it. */
const bytesOf1252 = new Map(
  Array.from({ length: 256 }, (_each, byte) => [new TextDecoder('windows-1252').decode(Uint8Array.of(byte)), byte]),
);

function windows1252(text: string): Buffer {
  return Buffer.from(
    Array.from(text, (character) => {
      const byte = bytesOf1252.get(character);
      if (byte !== undefined) return byte;
      throw new FileFault(`windows-1252 has no character "${character}". Use another encoding in the profile.`);
    }),
  );
}
