/** What stands where a secret was. */
export const redacted = '[redacted]';

export interface Redactor {
  /** Remembers a secret value. Values under four characters are left out: they would blacken ordinary text. */
  add(secret: string): void;
  /** The text without any known secret, nor its URL-encoded, base64 or JSON-escaped form. */
  text(text: string): string;
}

/** JSON without the redactor's secrets in any text or key of it; a number that is one is none of it either. */
export function redactJson(redactor: Redactor, value: unknown): unknown {
  if (typeof value === 'string') return redactor.text(value);
  if (typeof value === 'number') return redactor.text(String(value)) === redacted ? redacted : value;
  if (Array.isArray(value)) return value.map((item) => redactJson(redactor, item));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [redactor.text(key), redactJson(redactor, item)]);
  return Object.fromEntries(entries) as unknown;
}

const minLength = 4;

/** The spellings a secret takes on its way into an error message. */
const spellings = (secret: string): string[] => [
  secret,
  encodeURIComponent(secret.toWellFormed()),
  new URLSearchParams({ s: secret }).toString().slice(2),
  JSON.stringify(secret).slice(1, -1),
  Buffer.from(secret).toString('base64'),
  Buffer.from(secret).toString('base64url'),
];

const escapePattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);

/**
 * Removes known secret values from logs and error messages. Holds at most `maxSecrets`; the one added longest ago
 * makes room, so that a process which lives for months does not hold every value it ever saw.
 */
export const createRedactor = ({ maxSecrets = 1_000 }: { maxSecrets?: number } = {}): Redactor => {
  const secrets = new Set<string>();
  let pattern: RegExp | undefined;

  /** One pass over the text whatever the number of secrets; longest first, so that no rest of a longer one stays. */
  const compile = (): RegExp | undefined => {
    if (secrets.size === 0) return undefined;
    const forms = new Set([...secrets].flatMap(spellings).filter((form) => form.length >= minLength));
    const longestFirst = [...forms].toSorted((a, b) => b.length - a.length);
    return new RegExp(longestFirst.map(escapePattern).join('|'), 'g');
  };

  return {
    add: (secret) => {
      if (secret.length < minLength) return;
      const known = secrets.delete(secret);
      secrets.add(secret);
      if (known) return;
      if (secrets.size > maxSecrets) secrets.delete(secrets.values().next().value ?? '');
      pattern = undefined;
    },
    text: (text) => {
      pattern ??= compile();
      return pattern ? text.replace(pattern, redacted) : text;
    },
  };
};
