import { createRedactor, redacted } from '#src/platform/redact.ts';

/** The secrets one run has read, kept out of everything that is recorded of it. */
export interface RunSecrets {
  learn(secret: string): void;
  /** The text without any of them. */
  text(text: string): string;
  /** The value, as JSON has it, without any of them in its texts, keys and numbers; the value itself where none was learnt. */
  value<T>(value: T): T;
}

/**
 * What a node answers is cleaned before the next node sees it, not only in the record: a run that is taken over after a crash
 * goes on from the record, and must not go another way. A node that needs a secret names it itself.
 */
export function createRunSecrets(): RunSecrets {
  const redactor = createRedactor({ maxSecrets: 10_000 });
  const exact = new Set<string>();

  function clean(value: unknown): unknown {
    if (typeof value === 'string') return redactor.text(value);
    if (typeof value === 'number') return exact.has(String(value)) ? redacted : value;
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(clean);
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [redactor.text(key), clean(item)]));
  }

  return {
    learn(secret) {
      redactor.add(secret);
      if (secret.length >= 4) exact.add(secret);
    },
    text: (text) => (exact.size === 0 ? text : redactor.text(text)),
    value<T>(value: T): T {
      if (exact.size === 0 || value === undefined) return value;
      return clean(JSON.parse(JSON.stringify(value))) as T;
    },
  };
}
