import fc from 'fast-check';

const surrogates = { first: 0xd8_00, count: 0x8_00 };

/**
 * The characters of fast-check's own unit `binary`: all code points but halves of surrogate pairs. That one makes a map of them, which
 * takes 0.8 s of CPU, and 85 MB of each worker for as long as it lives.
 */
const character = fc
  .nat(0x10_ff_ff - surrogates.count)
  .map((index) => String.fromCodePoint(index < surrogates.first ? index : index + surrogates.count), characterIndex);

/** The way back, for strings that fast-check knows to be awkward, such as `__proto__`. */
function characterIndex(text: unknown): number {
  if (typeof text !== 'string' || !/^\P{Cs}$/u.test(text)) throw new Error('This is not one character.');
  const point = text.codePointAt(0) ?? 0;
  return point < surrogates.first ? point : point - surrogates.count;
}

/** Text of any characters. */
export const anyText = (constraints: fc.StringSharedConstraints = {}): fc.Arbitrary<string> =>
  fc.string({ ...constraints, unit: character });
