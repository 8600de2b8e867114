import { makeDecoy } from './decoys.ts';
import { createRedactor, mapTexts, redacted } from './redact.ts';

/** The secrets that a run, or the test of a node, has read. They are redacted in everything that is recorded or answered. */
export interface KnownSecrets {
  learn(secret: string): void;
  /** Adds a value that was derived from a secret. One under four characters is redacted only when it is a whole value. */
  learnDerived(text: string): void;
  /** The text with every secret redacted. */
  text(text: string): string;
  /** The value as JSON, with secrets redacted in its strings, keys and numbers; the value itself if there are no secrets. */
  value<T>(value: T): T;
  /** True if the value contains a secret. */
  areIn: (value: unknown) => boolean;
  /** The value as JSON, with a decoy in the place of every secret; the value itself if it contains none. */
  withDecoys<T>(value: T): T;
  /** True if two texts differ only in secrets in the one and their decoys in the other, so that redaction covers the first. */
  differInSecretsOnly(text: string, withDecoys: string): boolean;
}

const minLength = 4;
/** Counted separately, so that an expression that derives many values cannot displace a secret. */
const maxDerived = 2_000;
const maxSecrets = 10_000 + maxDerived;

/**
 * A node's outputs are redacted before the next node sees them, not only in the record: a run that is taken over after
 * a crash continues from the record, and must take the same path. A node that needs a secret refers to it itself.
 */
export function createKnownSecrets(): KnownSecrets {
  const secrets = createRedactor({ maxSecrets });
  const decoys = createRedactor({ maxSecrets });
  const derived = new Set<string>();
  const pieces = new Set<string>();
  let any = false;
  const replace = (text: string, by: (found: string) => string) =>
    pieces.has(text) ? by(text) : secrets.replace(text, by);
  const map = <T>(given: T, by: (found: string) => string): T =>
    any && given !== undefined
      ? (mapTexts(JSON.parse(JSON.stringify(given)), (text) => replace(text, by)) as typeof given)
      : given;
  const value = <T>(given: T): T => map(given, () => redacted);
  const areIn = (given: unknown): boolean =>
    any && given !== undefined && JSON.stringify(value(given)) !== JSON.stringify(given);
  const add = (text: string): void => {
    secrets.add(text);
    decoys.add(makeDecoy(text));
    any = true;
  };
  return {
    learn: add,
    learnDerived(text) {
      if (secrets.text(text) === redacted) return;
      any = true;
      if (text.length < minLength) {
        if (text !== '' && pieces.size < maxDerived) pieces.add(text);
        return;
      }
      add(text);
      derived.add(text);
      if (derived.size <= maxDerived) return;
      const [oldest = ''] = derived;
      derived.delete(oldest);
      secrets.remove(oldest);
      decoys.remove(makeDecoy(oldest));
    },
    text: (text) => secrets.text(text),
    value,
    areIn,
    withDecoys: (given) => (areIn(given) ? map(given, makeDecoy) : given),
    differInSecretsOnly: (text, withDecoys) => secrets.text(text) === decoys.text(withDecoys),
  };
}
