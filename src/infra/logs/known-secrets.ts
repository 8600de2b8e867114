import { createRedactor, redacted, redactJson } from './redact.ts';

/** The secrets that a run, or the test of a node, has read. They are redacted in everything that is recorded or answered. */
export interface KnownSecrets {
  learn(secret: string): void;
  /**
   * Adds a value that an expression derived from a secret. One under four characters is redacted only when it is a
   * whole value.
   */
  learnDerived(text: string): void;
  /** The text with every secret redacted. */
  text(text: string): string;
  /** The value as JSON, with secrets redacted in its strings, keys and numbers; the value itself if there are no secrets. */
  value<T>(value: T): T;
  /** Whether the value contains a secret. */
  areIn: (value: unknown) => boolean;
}

const minLength = 4;
const maxSecrets = 10_000;
/** Kept separately, so that an expression that derives many values cannot displace a secret. */
const maxDerived = 2_000;

/**
 * A node's outputs are redacted before the next node sees them, not only in the record: a run that is taken over after
 * a crash continues from the record, and must take the same path. A node that needs a secret refers to it itself.
 */
export function createKnownSecrets(): KnownSecrets {
  const secrets = createRedactor({ maxSecrets });
  const derived = createRedactor({ maxSecrets: maxDerived });
  const pieces = new Set<string>();
  let any = false;
  // The derived text first: it may hold a secret, and would not be found any more once that is replaced.
  const clean = (text: string) => secrets.text(derived.text(text));
  const whole = (text: string) => (pieces.has(text) ? redacted : clean(text));
  const value = <T>(given: T): T =>
    any && given !== undefined
      ? (redactJson({ text: whole }, JSON.parse(JSON.stringify(given))) as typeof given)
      : given;
  return {
    learn(secret) {
      secrets.add(secret);
      any = true;
    },
    learnDerived(text) {
      any = true;
      if (text.length >= minLength) derived.add(text);
      else if (text !== '' && pieces.size < maxDerived) pieces.add(text);
    },
    text: clean,
    value,
    areIn: (given) => any && given !== undefined && JSON.stringify(value(given)) !== JSON.stringify(given),
  };
}
