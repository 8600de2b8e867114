/** A text that is evaluated by itself, and where it stands in the text of its field. */
export interface Piece {
  text: string;
  from: number;
  to: number;
  /** Whether it stands there as a string of JSON, from quote to quote. */
  isString: boolean;
}

/** Whether an expression is being written at a place: after `{{` that is not escaped, and before its `}}`. */
export function isWithinBraces(text: string, at: number): boolean {
  // A negative place would be searched from as 0, and find braces that only begin there.
  const open = at < 2 ? -1 : text.lastIndexOf('{{', at - 2);
  return open >= 0 && text[open - 1] !== '\\' && !text.slice(open + 2, at).includes('}}');
}

const jsonStrings = /"(?:[^"\\]|\\[\s\S])*"/g;

/** Whether a text is JSON with expressions in its strings, rather than text with expressions. */
export const isJsonText = (text: string): boolean => /^\s*(?:\[|"|\{(?!\{))/.test(text);

/** What of a field is evaluated: of JSON, each string with an expression; of anything else, the whole. */
export function expressionPieces(text: string, { isJson, isBare }: { isJson: boolean; isBare: boolean }): Piece[] {
  if (!isJson || !isJsonText(text)) {
    return text.trim() !== '' && (isBare || text.includes('{{'))
      ? [{ text, from: 0, to: text.length, isString: false }]
      : [];
  }
  return [...text.matchAll(jsonStrings)].flatMap(({ 0: literal, index }) => {
    const decoded = literal.includes('{{') ? (readJson(literal) as string | undefined) : undefined;
    return decoded === undefined ? [] : [{ text: decoded, from: index, to: index + literal.length, isString: true }];
  });
}

const characters = /\\u[\da-fA-F]{4}|\\[\s\S]|[\s\S]/g;

/** The word at fault, or its character, in the text of the field, for a position in what was evaluated. */
export function faultRange(
  text: string,
  { from, to, isString }: Piece,
  position: number,
): { from: number; to: number } {
  const written = isString ? text.slice(from + 1, to - 1) : text.slice(from, to);
  const starts = isString ? [...written.matchAll(characters)].map(({ index }) => index) : undefined;
  const last = Math.max(written.length - 1, 0);
  let start = Math.min(starts ? (starts[position] ?? last) : position, last);
  let end = start + 1;
  while (start > 0 && isWord(written[start]) && isWord(written[start - 1])) start -= 1;
  while (isWord(written[end - 1]) && isWord(written[end])) end += 1;
  const offset = isString ? from + 1 : from;
  return { from: offset + start, to: offset + Math.min(end, written.length) };
}

const isWord = (character: string | undefined): boolean => character !== undefined && /[\w$]/.test(character);

/** The text of a field with what its pieces yield in their place; undefined where one is not known yet. */
export function withValues(text: string, pieces: readonly Piece[], values: readonly (string | undefined)[]) {
  let result = '';
  let at = 0;
  for (const [index, { from, to }] of pieces.entries()) {
    const value = values[index];
    if (value === undefined) return undefined;
    result += text.slice(at, from) + value;
    at = to;
  }
  return (result + text.slice(at)).replaceAll(/\s+/g, ' ').trim();
}

export interface Insertion {
  from: number;
  to: number;
  insert: string;
}

/** How the path of a value is written at a place of a field, so that the field reads it there. */
export function insertPath(
  text: string,
  { from, to }: { from: number; to: number },
  { path, isJson, isBare }: { path: string; isJson: boolean; isBare: boolean },
): Insertion {
  const isInJson = isJson && isJsonText(text);
  if (isBare || isWithinBraces(isInJson ? withoutStrings(text, from) : text, from)) return { from, to, insert: path };
  const braced = `{{ ${path} }}`;
  if (!isInJson) return { from, to, insert: braced };
  const change = { from, to, insert: isWithinString(text, from) ? braced : JSON.stringify(braced) };
  const isBroken = readJson(text) !== undefined && readJson(withInsertion(text, change)) === undefined;
  return isBroken ? addToJson(text, path) : change;
}

export const withInsertion = (text: string, { from, to, insert }: Insertion): string =>
  text.slice(0, from) + insert + text.slice(to);

/** Adds the value to a whole text of JSON, where no value can stand at the cursor: as an item, as a member of its name, or in place of the text. */
function addToJson(text: string, path: string): Insertion {
  const value = readJson(text);
  const braced = `{{ ${path} }}`;
  if (typeof value !== 'object' || value === null) return { from: 0, to: text.length, insert: braced };
  const names = Object.keys(value);
  const item = JSON.stringify(braced);
  const added = Array.isArray(value) ? item : `${JSON.stringify(freeName(path, names))}: ${item}`;
  const end = text.trimEnd().length - 1;
  const from = text.slice(0, end).trimEnd().length;
  const margin = /\n[ \t]*(?=\S)/.exec(text)?.[0];
  const separator = (names.length > 0 ? ',' : '') + (margin ?? (names.length > 0 ? ' ' : ''));
  return { from, to: from, insert: separator + added };
}

/** The name of the last member of a path, with a number where it is taken. */
function freeName(path: string, taken: readonly string[]): string {
  const name =
    /(?:`([^`]+)`|([\w-]+))(?:\[\d+\])*$/
      .exec(path)
      ?.slice(1)
      .find((each) => each !== undefined) ?? 'value';
  for (let number = 1; ; number += 1) {
    const free = number === 1 ? name : `${name}_${number}`;
    if (!taken.includes(free)) return free;
  }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** What of JSON precedes a place, with spaces for its strings that have ended: braces in them are not those around the place. */
const withoutStrings = (text: string, at: number): string =>
  text.slice(0, at).replaceAll(jsonStrings, (string) => ' '.repeat(string.length));

/** Whether a place of JSON is between the quotes of a string, which may not have its end yet. */
function isWithinString(text: string, at: number): boolean {
  const rest = text.slice(0, at).replaceAll(jsonStrings, '');
  return rest.includes('"');
}

/** Text in which `{{` was just typed, with its end. */
export const toExpression = (typed: string, at: number): string =>
  typed.includes('}}', at) ? typed : `${typed.slice(0, at)}}}${typed.slice(at)}`;
