import { createRedactor, redacted } from '#src/platform/redact.ts';

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
    for (const secret of this.#secrets) {
      for (let length = Math.min(secret.length - 1, text.length); length >= minPartialChars; length -= 1) {
        if (text.endsWith(secret.slice(0, length))) return text.slice(0, -length) + redacted;
      }
    }
    return text;
  }
}
