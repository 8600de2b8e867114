import { ExactNumber, keepDigits } from '#console/graph/exact-numbers.ts';

/** The notation of a value in a form. With `exact-text`, empty text is a value too. */
export type Writing = 'text' | 'exact-text' | 'number' | 'boolean' | 'json';

/** Whether a value is an expression: text with `{{ }}`. */
export const isExpression = (value: unknown): value is string =>
  typeof value === 'string' && /\{\{[\s\S]*\}\}/.test(value);

/** Whether an expression is anywhere in a value. */
export const hasExpressions = (value: unknown): boolean =>
  isExpression(value) || (typeof value === 'object' && value !== null && Object.values(value).some(hasExpressions));

/** A value as the text of its field. */
export function toText(value: unknown, writing: Writing): string {
  if (value === undefined || (value === null && writing !== 'json')) return '';
  if (typeof value === 'string' && (writing !== 'json' || isExpression(value))) return value;
  return JSON.stringify(value, null, writing === 'json' ? 2 : 0);
}

/** The value that a text stands for. `undefined` removes it; an expression stays text in any field. */
export function fromText(text: string, writing: Writing): { value: unknown } | { fault: 'number' | 'json' } {
  if (writing === 'exact-text') return { value: text };
  const trimmed = text.trim();
  if (trimmed === '') return { value: writing === 'text' && text !== '' ? text : undefined };
  if (writing === 'text' || isExpression(text)) return readExpressions(text, writing);
  if (writing === 'number') return readNumber(trimmed);
  if (writing === 'boolean') return { value: trimmed === 'true' };
  return readJson(trimmed);
}

/** JSON may hold expressions in its strings, and a field of JSON may be one expression as a whole. */
function readExpressions(text: string, writing: Writing): { value: unknown } | { fault: 'json' } {
  return writing === 'json' && /^[[{"]/.test(text.trim()) && !text.trim().startsWith('{{')
    ? readJson(text)
    : { value: text };
}

/** A number may be written otherwise than in JSON, such as `.5`; only one of JSON keeps digits that a double would round. */
function readNumber(text: string): { value: unknown } | { fault: 'number' } {
  if (!Number.isFinite(Number(text))) return { fault: 'number' };
  const read = readJson(text);
  return 'value' in read && read.value instanceof ExactNumber ? read : { value: Number(text) };
}

function readJson(text: string): { value: unknown } | { fault: 'json' } {
  try {
    return { value: JSON.parse(text, keepDigits) as unknown };
  } catch {
    return { fault: 'json' };
  }
}
