import { type Hole, textBytes } from './record-shapes.ts';

// White space is what XML takes for it: bytes of other characters are white space to \s.
const openTag =
  /<([^ \t\n\r<>/"'=!?]+)((?:[ \t\n\r]+[^ \t\n\r<>/"'=]+[ \t\n\r]*=[ \t\n\r]*(?:"[^"<>]*"|'[^'<>]*'))*)[ \t\n\r]*(\/?)>/y;
const closeTag = /<\/[^ \t\n\r<>/"'=]+[ \t\n\r]*>/y;
const text = /[^<>]+/y;
const attribute = /[ \t\n\r]+([^ \t\n\r=]+)[ \t\n\r]*=[ \t\n\r]*(["'])(.*?)\2/gs;

const takesOf = (of: { isUtf8: boolean }): Record<string, Uint8Array> => ({
  '': textBytes('<>&', of),
  '"': textBytes('<>&"', of),
  "'": textBytes("<>&'", of),
});
/** What text and attributes may hold, by their quotes. */
const ofUtf8 = takesOf({ isUtf8: true });
const ofAscii = takesOf({ isUtf8: false });

/** Where the hole of an attribute is in its value, and what it takes if not any text; undefined where it has none. */
export type AttributeHole = (of: {
  element: string;
  attribute: string;
  value: string;
}) => (Pick<Hole, 'begin' | 'end'> & Partial<Hole>) | undefined;

/**
 * The holes of a record with white space before it: the texts of elements without others in them, and of attributes, whole or as
 * `holeOfAttribute` says. Undefined where it has comments or anything else that is not a tag or text, and where it is not one whole element of
 * the name, as what was parsed as a record may begin with another element. `isUtf8`: the bytes are known to be.
 */
export function xmlHoles(
  record: string,
  { element, holeOfAttribute, isUtf8 }: { element: string; holeOfAttribute: AttributeHole; isUtf8: boolean },
): Hole[] | undefined {
  const takenBy = isUtf8 ? ofUtf8 : ofAscii;
  const holes: Hole[] = [];
  let at = record.search(/[^ \t\n\r]/);
  let depth = 0;
  let isAfterOpen = false;
  const matched = (token: RegExp): RegExpExecArray | null => {
    token.lastIndex = at;
    return token.exec(record);
  };
  do {
    const open = matched(openTag);
    if (open) {
      const [tag, name = '', attributes = '', closed] = open;
      if (depth === 0 && name !== element) return undefined;
      for (const { 0: whole, 1: key = '', 2: quote = '', 3: value = '', index } of attributes.matchAll(attribute)) {
        const hole = holeOfAttribute({ element: name, attribute: key, value });
        const begin = at + 1 + name.length + index + whole.length - 1 - value.length;
        const takes = takenBy[quote] as Uint8Array;
        if (hole) holes.push({ takes, ...hole, begin: begin + hole.begin, end: begin + hole.end });
      }
      at += tag.length;
      isAfterOpen = closed === '';
      if (isAfterOpen) depth += 1;
      continue;
    }
    if (depth === 0) return undefined;
    const [between = ''] = matched(text) ?? [];
    const close = record.startsWith('</', at + between.length);
    if (isAfterOpen && close) holes.push({ begin: at, end: at + between.length, takes: takenBy[''] as Uint8Array });
    at += between.length;
    isAfterOpen = false;
    const [tag = ''] = matched(closeTag) ?? [];
    at += tag.length;
    if (between === '' && tag === '') return undefined;
    if (tag !== '') depth -= 1;
  } while (depth > 0);
  return at === record.length ? holes : undefined;
}
