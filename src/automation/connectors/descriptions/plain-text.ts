/** Texts of descriptions hold Markdown and HTML of any size. What is shown of them is one short line of plain text. */

/** Markup is removed by patterns, so only this much of a text is looked at. */
const maxLook = 4_000;

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };
const breaks = /<\/?(?:p|br|li|div|tr|h\d)\b[^<>]*>/gi;
const tag = /<[/!?a-z][^<>]*>/gi;
/** Characters that show nothing, or that turn the direction of what follows. */
const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;

/** One line without markup, at most `max` characters, cut at the end of a word. */
export const plainText = (text: string, max: number): string => cutAtWord(withoutMarkup(text), max);

/** The first sentence, and those that follow it as long as they fit. */
export function plainSentences(text: string, max: number): string {
  const plain = withoutMarkup(text);
  if (plain.length <= max) return plain;
  const ends = [...plain.slice(0, max + 1).matchAll(/[.!?](?= )/g)].map(({ index }) => index + 1);
  const end = ends.at(-1);
  return end === undefined ? cutAtWord(plain, max) : plain.slice(0, end);
}

/** Most texts have no markup, and there are many. */
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
  // Removing a tag can put the pieces of another one together.
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
  // A text without spaces is cut where it is, but never in the middle of a character.
  const cut = end > max / 2 ? room.slice(0, end) : room.slice(0, -1);
  return `${cut.replace(/[\s,;:.([-]+$/, '').replace(/[\ud800-\udbff]$/, '')}…`;
}
