import { ExactNumber, readJson } from '#console/graph/exact-numbers.ts';

/** What a field for numbers holds; text is none. */
export type ReadNumber = number | ExactNumber | string;

/** The number, or the text as it stands where it is none, so that the server says what is wrong with it. */
export function readNumber(text: string): ReadNumber | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  try {
    const value = readJson(trimmed);
    // A double that became infinite, and lists, truth values and the like, are no numbers.
    if (value instanceof ExactNumber || (typeof value === 'number' && Number.isFinite(value))) return value;
  } catch {
    // Such as `.5` and `007`, which JSON does not know.
    const number = Number(trimmed);
    if (Number.isFinite(number)) return number;
  }
  return trimmed;
}
