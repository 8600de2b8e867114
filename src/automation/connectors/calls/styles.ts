import type { ParameterStyle } from '#src/automation/node-api/api-call.ts';
import { asIs, type Encode, encodeName } from './percent.ts';

/** How to write a value: the part of a parameter, or of a member of a form, that decides it. */
export interface Writing {
  name: string;
  style: ParameterStyle;
  explode: boolean;
}

export type Pair = readonly [name: string, value: string];

/** The texts of a value: a scalar is one text, a list several, and an object has named ones. */
type Texts = { one: string } | { list: string[] } | { members: Pair[] };

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

/** Styles say nothing of what is nested deeper; it is written as JSON. */
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

/** The value as one text, for a place in a path or for a header: styles simple, label, matrix and json. */
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
 * The value as pairs, for a query, cookies and forms: styles form, spaceDelimited, pipeDelimited, deepObject and json. An empty list or
 * object makes none.
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

/** `filter[price][gte]`, and for lists `tags[0]`, as the servers read it that know nested names at all. */
function* deepPairs(name: string, value: unknown): Generator<Pair> {
  if (!isGiven(value)) return;
  if (typeof value !== 'object') yield [name, toText(value)];
  else for (const [key, member] of Object.entries(value as object)) yield* deepPairs(`${name}[${key}]`, member);
}
