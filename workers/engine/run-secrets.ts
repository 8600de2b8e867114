import { createRedactor, redactJson } from '#src/infra/logs/redact.ts';

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
  let knowsAny = false;
  return {
    learn(secret) {
      redactor.add(secret);
      knowsAny = true;
    },
    text: (text) => redactor.text(text),
    value: (value) =>
      knowsAny && value !== undefined
        ? (redactJson(redactor, JSON.parse(JSON.stringify(value))) as typeof value)
        : value,
  };
}
