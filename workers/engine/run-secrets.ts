import { createRedactor, redactJson } from '#src/infra/logs/redact.ts';

/** The secrets that a run has read. They are redacted in everything that is recorded about it. */
export interface RunSecrets {
  learn(secret: string): void;
  /** The text with every secret redacted. */
  text(text: string): string;
  /** The value as JSON, with secrets redacted in its strings, keys and numbers; the value itself if the run has read none. */
  value<T>(value: T): T;
}

/**
 * A node's outputs are redacted before the next node sees them, not only in the record: a run that is taken over after a crash
 * continues from the record, and must take the same path. A node that needs a secret refers to it itself.
 */
export function createRunSecrets(): RunSecrets {
  const redactor = createRedactor({ maxSecrets: 10_000 });
  let hasSecrets = false;
  return {
    learn(secret) {
      redactor.add(secret);
      hasSecrets = true;
    },
    text: (text) => redactor.text(text),
    value: (value) =>
      hasSecrets && value !== undefined
        ? (redactJson(redactor, JSON.parse(JSON.stringify(value))) as typeof value)
        : value,
  };
}
