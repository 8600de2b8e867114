import { ValidationError } from './errors.ts';

const suspicious = /\\u(?:0000|d[89a-f])/i;

/**
 * JSON text that Postgres can store as jsonb, which allows neither NUL characters nor lone surrogates. Throws a
 * ValidationError for `field` when the value contains one.
 */
export function storableJson(value: unknown, field: string): string {
  const text = JSON.stringify(value ?? null);
  // The escape may be part of an escaped backslash, so a match only calls for a closer look.
  if (suspicious.test(text) && !isStorable(value)) throw new ValidationError({ [field]: [unstorable] });
  return text;
}

export const unstorable = 'Text must not hold NUL characters or lone surrogates.';

/** True if Postgres can store every text in a value: it refuses NUL, and a lone surrogate would become another character. */
export function isStorable(value: unknown): boolean {
  // With an explicit stack: a value may be nested deeper than the call stack allows.
  const rest = [value];
  while (rest.length > 0) {
    const one = rest.pop();
    if (typeof one === 'string' && (one.includes('\0') || !one.isWellFormed())) return false;
    if (one === null || typeof one !== 'object' || ArrayBuffer.isView(one)) continue;
    if (Array.isArray(one)) for (const item of one as unknown[]) rest.push(item);
    else for (const [key, item] of Object.entries(one)) rest.push(key, item);
  }
  return true;
}

/** True if objects and arrays nest at most `levels` deep. */
export function isWithinDepth(value: unknown, levels: number): boolean {
  // With an explicit stack: the value would decide how deep a recursion goes.
  const rest: [value: unknown, depth: number][] = [[value, 0]];
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    const [one, depth] = next;
    if (typeof one !== 'object' || one === null) continue;
    if (depth === levels) return false;
    // Lists of millions of texts and numbers are common, so queue only values that can nest.
    for (const inner of Array.isArray(one) ? (one as unknown[]) : Object.values(one)) {
      if (typeof inner === 'object' && inner !== null) rest.push([inner, depth + 1]);
    }
  }
  return true;
}

/** JSON text that does not depend on the order of keys, which jsonb does not keep. */
export const canonicalJson = (value: unknown): string => JSON.stringify(sorted(value));

/** True if two values are the same JSON, whatever the order of their keys. */
export const sameJson = (a: unknown, b: unknown): boolean => canonicalJson(a) === canonicalJson(b);

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).filter(([, child]) => child !== undefined);
  return Object.fromEntries(
    entries.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([key, child]) => [key, sorted(child)]),
  );
}
