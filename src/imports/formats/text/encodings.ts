import { isUtf8 } from 'node:buffer';

/** The upper half of CP850, which Node cannot decode; its characters have not changed since 1987. */
const cp850 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0';

const upperHalf = Uint8Array.from({ length: 128 }, (_, at) => at + 128);
const ascii = String.fromCharCode(...Array.from({ length: 128 }, (_, at) => at));

/** The 256 characters of each encoding in which a character is a byte. */
const characters = new Map(
  [
    ...['windows-1252', 'iso-8859-15', 'macintosh'].map(
      (name) => [name, new TextDecoder(name).decode(upperHalf)] as const,
    ),
    ['cp850', cp850] as const,
  ].map(([name, upper]) => [name, ascii + upper]),
);

/** The characters of the bytes 0 to 255; undefined for UTF-8 and UTF-16. */
export const findCharacters = (encoding: string): string | undefined => characters.get(encoding);

/** The text of a few bytes, which may begin and end within a character. */
export function decodeText(bytes: Buffer, encoding: string): string {
  const table = findCharacters(encoding);
  return table === undefined
    ? new TextDecoder(encoding).decode(bytes)
    : Array.from(bytes, (byte) => table[byte]).join('');
}

/** The most likely encoding of the bytes, which may begin and end within a character. */
export function guessEncoding(bytes: Buffer): string {
  const [first = 0, second = 0] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  const nuls = [0, 0];
  for (let at = 0; at < bytes.length; at += 1) if (bytes[at] === 0) nuls[at % 2] = (nuls[at % 2] as number) + 1;
  const [even = 0, odd = 0] = nuls;
  // In text of Latin letters, half of the bytes of UTF-16 are NULs.
  if (even + odd > bytes.length / 100) return even > odd ? 'utf-16be' : 'utf-16le';
  if (isUtf8Part(bytes)) return 'utf-8';
  const scored = [...characters].map(([encoding, table]) => ({ encoding, score: scoreBytes(bytes, table) }));
  return scored.reduce((best, each) => (each.score > best.score ? each : best)).encoding;
}

/** True if the bytes, which may begin and end within a character, are UTF-8. */
export function isUtf8Part(bytes: Buffer): boolean {
  let begin = 0;
  while (begin < 3 && ((bytes[begin] ?? 0) & 0xc0) === 0x80) begin += 1;
  return [0, 1, 2, 3].some((cut) => isUtf8(bytes.subarray(begin, Math.max(begin, bytes.length - cut))));
}

/** How well the characters fit the text of a shop: letters in words, the signs of prices and of typeset text, and no drawings of boxes. */
function scoreBytes(bytes: Buffer, table: string): number {
  let score = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    if (byte < 0x80) continue;
    const character = table[byte] as string;
    const [before, after] = [table[bytes[at - 1] ?? 0x20] as string, table[bytes[at + 1] ?? 0x20] as string];
    score += scoreCharacter(character, before, after);
  }
  return score;
}

const lower = /\p{Ll}/u;
const upper = /\p{Lu}/u;

function scoreCharacter(character: string, before: string, after: string): number {
  if (lower.test(character))
    return upper.test(before) && upper.test(after) ? -1 : /[äöüßéèàáóíñçêåøæ]/.test(character) ? 3 : 1;
  // A capital stands at the beginning of a word, or among others.
  if (upper.test(character)) return lower.test(before) ? -2 : /[ÄÖÜÉÅØÇÑ]/.test(character) ? 3 : 1;
  if (/[€£§°®©™«»–—‘’“”„…²³½¼\u00a0]/.test(character)) return 1;
  return -2;
}
