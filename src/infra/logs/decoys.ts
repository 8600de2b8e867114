const digits = '5987643212';

/**
 * A text of the same length in which every character is replaced by another of its kind: a number stays a number, so no digit becomes 0,
 * which cannot begin a number. The alphabet is reversed, so that the decoy of one part of a text is seldom another part of it. Whatever
 * differs when a step computes with decoys was derived from the secret (docs/decisions/derived-secrets-by-decoys.md).
 */
export const makeDecoy = (secret: string): string =>
  Array.from(secret, (char) => String.fromCodePoint(otherThan(char.codePointAt(0) as number))).join('');

function otherThan(code: number): number {
  if (code >= 0x30 && code <= 0x39) return digits.charCodeAt(code - 0x30);
  if (code >= 0x41 && code <= 0x5a) return 0x41 + 0x5a - code;
  if (code >= 0x61 && code <= 0x7a) return 0x61 + 0x7a - code;
  if (code >= 0x21 && code <= 0x7e) return 0x21 + 0x7e - code;
  return 0x2a;
}
