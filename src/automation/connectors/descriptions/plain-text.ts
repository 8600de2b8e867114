/** Texts of descriptions hold Markdown and HTML of any size. The product shows one short line of plain text instead. */

/** Markup is removed by regular expressions, so only this much of a text is read. */
const maxLook = 4_000;

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };
const breaks = /<\/?(?:p|br|li|div|tr|h\d)\b[^<>]*>/gi;
const tag = /<[/!?a-z][^<>]*>/gi;
/** Characters that are invisible, or that change the direction of the text after them. */
const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;

/** Returns one line without markup, of at most `max` characters, cut at the end of a word. */
export const plainText = (text: string, max: number): string => cutAtWord(withoutMarkup(text), max);

/** Returns the first sentence, and the following ones that fit. */
export function plainSentences(text: string, max: number): string {
  const plain = withoutMarkup(text);
  if (plain.length <= max) return plain;
  const ends = [...plain.slice(0, max + 1).matchAll(/[.!?](?= )/g)].map(({ index }) => index + 1);
  const end = ends.at(-1);
  return end === undefined ? cutAtWord(plain, max) : plain.slice(0, end);
}

/** A quick test for markup, because there are many texts and most have none. */
const isPlain = /^[^<>&`*_#[\]!\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]*$/u;
const mark = /^\s*[-+]\s|\s{2}/;

function withoutMarkup(text: string): string {
  if (text.length <= maxLook && isPlain.test(text) && !mark.test(text)) return text.trim();
  let plain = text
    .slice(0, maxLook)
    .replaceAll(/&(amp|lt|gt|quot|apos|nbsp);/g, (_, name: string) => entities[name] ?? '')
    .replaceAll(/&#39;/g, "'")
    .replaceAll(/```[^`]*```/g, ' ')
    .replaceAll(breaks, ' ');
  // Removing a tag can join the pieces of another one, so repeat until nothing changes.
  for (let round = 0; round < 3; round += 1) plain = plain.replaceAll(tag, '');
  return plain
    .replaceAll(/!\[[^\][]*\]\([^()]*\)/g, '')
    .replaceAll(/\[([^\][]*)\](?:\([^()]*\)|\[[^\][]*\])/g, '$1')
    .replaceAll(/^[ \t]*(?:#{1,6}|>|[-*+](?= ))[ \t]*/gm, '')
    .replaceAll(/\*\*|__|`+/g, '')
    .replaceAll(invisible, ' ')
    .replaceAll(/<+(?=[/!?a-z])/gi, '')
    .toWellFormed()
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function cutAtWord(text: string, max: number): string {
  if (text.length <= max) return text;
  const room = text.slice(0, max);
  const end = room.lastIndexOf(' ');
  // A text without spaces is cut at the limit, but never in the middle of a character.
  const cut = end > max / 2 ? room.slice(0, end) : room.slice(0, -1);
  return `${cut.replace(/[\s,;:.([-]+$/, '').replace(/[\ud800-\udbff]$/, '')}…`;
}
