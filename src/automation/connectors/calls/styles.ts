import type { ParameterStyle } from '#src/automation/node-api/api-call.ts';
import { asIs, type Encode, encodeName } from './percent.ts';

/** The notation of a value. Parameters and members of forms have these properties. */
export interface Writing {
  name: string;
  style: ParameterStyle;
  explode: boolean;
}

export type Pair = readonly [name: string, value: string];

/** A value as text: one text for a scalar, several for a list, and named ones for an object. */
type Texts = { one: string } | { list: string[] } | { members: Pair[] };

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

/** Writes a value as text. OpenAPI's styles do not cover deeper nesting, so nested values become JSON. */
export const toText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

function readTexts(value: unknown, encode: Encode): Texts {
  if (Array.isArray(value)) return { list: value.filter(isGiven).map((item) => encode(toText(item))) };
  if (typeof value !== 'object' || value === null) return { one: encode(toText(value)) };
  const given = Object.entries(value).filter(([, member]) => isGiven(member));
  return { members: given.map(([name, member]) => [encode(name), encode(toText(member))]) };
}

const joinPairs = (pairs: readonly Pair[], between: string): string =>
  pairs.map(([name, value]) => `${name}=${value}`).join(between);

const joined = (texts: Texts, between: string): string =>
  'one' in texts ? texts.one : ('list' in texts ? texts.list : texts.members.flat()).join(between);

/** Writes a value as one text, for a path or a header, in the style simple, label, matrix or json. */
export function writeText({ name, style, explode }: Writing, value: unknown, encode: Encode = asIs): string {
  if (style === 'json') return encode(JSON.stringify(value));
  const texts = readTexts(value, encode);
  if (style === 'label') {
    if (!explode) return `.${joined(texts, ',')}`;
    return `.${'members' in texts ? joinPairs(texts.members, '.') : joined(texts, '.')}`;
  }
  if (style !== 'matrix') return explode && 'members' in texts ? joinPairs(texts.members, ',') : joined(texts, ',');
  const label = encodeName(name);
  const pairs: readonly Pair[] =
    'one' in texts || !explode
      ? [[label, joined(texts, ',')]]
      : 'members' in texts
        ? texts.members
        : texts.list.map((text): Pair => [label, text]);
  return pairs.map(([key, text]) => (text === '' ? `;${key}` : `;${key}=${text}`)).join('');
}

const delimiters: Partial<Record<ParameterStyle, string>> = { spaceDelimited: ' ', pipeDelimited: '|' };

/**
 * Writes a value as pairs, for a query, cookies or a form, in the style form, spaceDelimited, pipeDelimited, deepObject or json. An empty
 * list or object gives no pairs.
 */
export function writePairs(
  { name, style, explode }: Writing,
  value: unknown,
  encode: { name: Encode; value: Encode },
): Pair[] {
  const label = encode.name(name);
  if (style === 'json') return [[label, encode.value(JSON.stringify(value))]];
  if (style === 'deepObject')
    return [...deepPairs(name, value)].map(([key, text]) => [encode.name(key), encode.value(text)]);
  const texts = readTexts(value, encode.value);
  if ('one' in texts) return [[label, texts.one]];
  if (joined(texts, '') === '' && ('list' in texts ? texts.list : texts.members).length === 0) return [];
  if (!explode) return [[label, joined(texts, encodeDelimiter(delimiters[style], encode.value))]];
  return 'list' in texts ? texts.list.map((text): Pair => [label, text]) : texts.members;
}

const encodeDelimiter = (delimiter: string | undefined, encode: Encode): string =>
  delimiter === undefined ? ',' : encode(delimiter);

/** Names members `filter[price][gte]` and items `tags[0]`, which is how servers that support nested names read them. */
function* deepPairs(name: string, value: unknown): Generator<Pair> {
  if (!isGiven(value)) return;
  if (typeof value !== 'object') yield [name, toText(value)];
  else for (const [key, member] of Object.entries(value as object)) yield* deepPairs(`${name}[${key}]`, member);
}
