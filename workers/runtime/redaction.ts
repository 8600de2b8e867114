/**
 * Removes known secrets from text. A secret is matched as it is and as it appears in base64, in a URL and inside JSON.
 * Shorter than four characters is not matched: it would blot out ordinary text and hide nothing.
 */
const minSecretChars = 4;
const mask = '[redacted]';

export class Redactor {
  readonly #forms = new Set<string>();
  #ordered: string[] = [];

  /** Every string and number inside the value becomes a secret. */
  learn(value: unknown, depth = 0): void {
    if (typeof value === 'number' || typeof value === 'bigint') this.#add(String(value));
    else if (typeof value === 'string') this.#add(value);
    else if (typeof value === 'object' && value !== null && depth < 8) {
      for (const item of Object.values(value)) this.learn(item, depth + 1);
    }
  }

  /** `cut` says that the text was shortened: what may be the beginning of a secret at its end goes as well. */
  redact(text: string, cut = false): string {
    if (this.#ordered.length === 0) return text;
    let result = text;
    for (const form of this.#ordered) result = result.replaceAll(form, mask);
    return cut ? this.#dropPartial(result) : result;
  }

  #add(secret: string): void {
    if (secret.length < minSecretChars) return;
    const base64 = Buffer.from(secret).toString('base64');
    const escaped = JSON.stringify(secret).slice(1, -1);
    const forms = [secret, base64, base64.replace(/=+$/, ''), Buffer.from(secret).toString('base64url'), escaped];
    for (const form of [...forms, encodeURIComponent(secret.toWellFormed())]) this.#forms.add(form);
    // The longest first, so that a secret that contains another leaves no remainder.
    this.#ordered = [...this.#forms].toSorted((a, b) => b.length - a.length);
  }

  #dropPartial(text: string): string {
    for (const form of this.#ordered) {
      for (let length = Math.min(form.length - 1, text.length); length >= minSecretChars; length -= 1) {
        if (text.endsWith(form.slice(0, length))) return text.slice(0, -length) + mask;
      }
    }
    return text;
  }
}
