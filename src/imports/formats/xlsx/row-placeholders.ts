import { type Placeholder, textBytes } from './row-shapes.ts';

// Only XML's own white space: \s also matches bytes of other characters.
const openTag =
  /<([^ \t\n\r<>/"'=!?]+)((?:[ \t\n\r]+[^ \t\n\r<>/"'=]+[ \t\n\r]*=[ \t\n\r]*(?:"[^"<>]*"|'[^'<>]*'))*)[ \t\n\r]*(\/?)>/y;
const closeTag = /<\/[^ \t\n\r<>/"'=]+[ \t\n\r]*>/y;
const text = /[^<>]+/y;
const attribute = /[ \t\n\r]+([^ \t\n\r=]+)[ \t\n\r]*=[ \t\n\r]*(["'])(.*?)\2/gs;

/** The bytes that text and attributes may hold, by their quotes. */
const accepted: Record<string, Uint8Array> = { '': textBytes('<>&'), '"': textBytes('<>&"'), "'": textBytes("<>&'") };

/** Where the placeholder of an attribute is in its value, and what it accepts if not any text; undefined where it has none. */
export type AttributePlaceholder = (of: {
  element: string;
  attribute: string;
  value: string;
}) => (Pick<Placeholder, 'begin' | 'end'> & Partial<Placeholder>) | undefined;

/**
 * The placeholders of a record with white space before it: the texts of elements without others in them, and of attributes, whole or as
 * `attributePlaceholder` says. Undefined where it has comments or anything else that is not a tag or text, and where it is not one whole element of
 * the name, as what was parsed as a record may begin with another element.
 */
export function rowPlaceholders(
  record: string,
  { element, attributePlaceholder }: { element: string; attributePlaceholder: AttributePlaceholder },
): Placeholder[] | undefined {
  const placeholders: Placeholder[] = [];
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
        const placeholder = attributePlaceholder({ element: name, attribute: key, value });
        const begin = at + 1 + name.length + index + whole.length - 1 - value.length;
        const accepts = accepted[quote] as Uint8Array;
        if (placeholder)
          placeholders.push({
            accepts,
            ...placeholder,
            begin: begin + placeholder.begin,
            end: begin + placeholder.end,
          });
      }
      at += tag.length;
      isAfterOpen = closed === '';
      if (isAfterOpen) depth += 1;
      continue;
    }
    if (depth === 0) return undefined;
    const [between = ''] = matched(text) ?? [];
    const close = record.startsWith('</', at + between.length);
    if (isAfterOpen && close)
      placeholders.push({ begin: at, end: at + between.length, accepts: accepted[''] as Uint8Array });
    at += between.length;
    isAfterOpen = false;
    const [tag = ''] = matched(closeTag) ?? [];
    at += tag.length;
    if (between === '' && tag === '') return undefined;
    if (tag !== '') depth -= 1;
  } while (depth > 0);
  return at === record.length ? placeholders : undefined;
}
