import { createRedactor, redacted } from '#src/infra/logs/redact.ts';

const minPartialChars = 4;

/** Redacts, in an execution's text, the secrets that its input held or that were handed out to it. */
export class SecretFilter {
  readonly #redactor = createRedactor();
  readonly #secrets = new Set<string>();

  /** Every string and number inside the value is a secret from now on. */
  learn(value: unknown, depth = 0): void {
    if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'string') {
      this.#redactor.add(String(value));
      this.#secrets.add(String(value));
    } else if (typeof value === 'object' && value !== null && depth < 8) {
      for (const item of Object.values(value)) this.learn(item, depth + 1);
    }
  }

  /** At most `maxChars` of the text, redacted. If it is truncated, a possible start of a secret at its end is removed too. */
  clean(text: string, maxChars: number): string {
    const clean = this.#redactor.text(text.slice(0, maxChars));
    return text.length >= maxChars ? this.#withoutPartial(clean) : clean;
  }

  #withoutPartial(text: string): string {
    let longest = 0;
    for (const secret of this.#secrets) longest = Math.max(longest, prefixAtEnd(text, secret));
    return longest < minPartialChars ? text : text.slice(0, -longest) + redacted;
  }
}

/**
 * The length of the longest suffix of the text that is a prefix of the secret, found in one pass (Knuth-Morris-Pratt): with trying
 * every length, a node that makes them nearly match would cost the product of their lengths.
 */
function prefixAtEnd(text: string, secret: string): number {
  const pattern = secret.slice(0, text.length);
  /** For each prefix of the pattern, the length of its longest proper suffix that is also a prefix. */
  const borders = new Uint32Array(pattern.length);
  const advance = (matched: number, unit: number): number => {
    let length = matched;
    while (length > 0 && (length === pattern.length || pattern.charCodeAt(length) !== unit))
      length = borders[length - 1] as number;
    return pattern.charCodeAt(length) === unit ? length + 1 : length;
  };
  for (let at = 1; at < pattern.length; at += 1)
    borders[at] = advance(borders[at - 1] as number, pattern.charCodeAt(at));
  let matched = 0;
  for (let at = text.length - pattern.length; at < text.length; at += 1)
    matched = advance(matched, text.charCodeAt(at));
  return matched;
}
