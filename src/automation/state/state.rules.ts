import { ValidationError } from '#src/infra/errors.ts';
import { isWithinDepth, storableJson } from '#src/infra/json.ts';
import { stateLimits } from './state.inputs.ts';

/** The JSON text of a value, and its size together with the key. Throws a ValidationError for a value that cannot be stored. */
export function measureEntry(key: string, value: unknown): { text: string; size: number } {
  if (!isWithinDepth(value, stateLimits.valueDepth)) {
    throw new ValidationError({ value: [`A value nests at most ${stateLimits.valueDepth} levels.`] });
  }
  const text = storableJson(value, 'value');
  const bytes = Buffer.byteLength(text);
  if (bytes > stateLimits.valueBytes) {
    throw new ValidationError({
      value: [`A value is at most ${stateLimits.valueBytes} bytes of JSON; this one is ${bytes}.`],
    });
  }
  return { text, size: Buffer.byteLength(key) + bytes };
}

const lastCodePoint = 0x10_ff_ff;

/**
 * The smallest text greater than every text that begins with `prefix`, in code point order, which is the byte order of UTF-8;
 * undefined when there is none. `prefix` must be well-formed.
 */
export function afterPrefix(prefix: string): string | undefined {
  const points = Array.from(prefix, (character) => character.codePointAt(0) as number);
  while (points.at(-1) === lastCodePoint) points.pop();
  const last = points.pop();
  if (last === undefined) return undefined;
  // Surrogates, which lie between these two, are not characters.
  return String.fromCodePoint(...points, last === 0xd7_ff ? 0xe0_00 : last + 1);
}
