import { createRedactor, redacted } from '#src/infra/logs/redact.ts';

const minPartialChars = 4;

/** Removes from an execution's text the secrets that were put into its input or handed out to it. */
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

  /** At most `maxChars` of the text. Where it is cut, what may be the beginning of a secret goes as well. */
  clean(text: string, maxChars: number): string {
    const clean = this.#redactor.text(text.slice(0, maxChars));
    return text.length >= maxChars ? this.#withoutPartial(clean) : clean;
  }

  #withoutPartial(text: string): string {
    let longest = 0;
    for (const secret of this.#secrets) longest = Math.max(longest, begunAtEnd(text, secret));
    return longest < minPartialChars ? text : text.slice(0, -longest) + redacted;
  }
}

/**
 * How many characters at the end of the text are the beginning of the secret. In one pass (Knuth, Morris and Pratt): trying
 * every length costs their product where a node sees to it that they nearly match.
 */
function begunAtEnd(text: string, secret: string): number {
  const sought = secret.slice(0, text.length);
  /** How much of the beginning is known again at the end of each longer one. */
  const known = new Uint32Array(sought.length);
  const goOn = (matched: number, unit: number): number => {
    let length = matched;
    while (length > 0 && (length === sought.length || sought.charCodeAt(length) !== unit))
      length = known[length - 1] as number;
    return sought.charCodeAt(length) === unit ? length + 1 : length;
  };
  for (let at = 1; at < sought.length; at += 1) known[at] = goOn(known[at - 1] as number, sought.charCodeAt(at));
  let matched = 0;
  for (let at = text.length - sought.length; at < text.length; at += 1) matched = goOn(matched, text.charCodeAt(at));
  return matched;
}
