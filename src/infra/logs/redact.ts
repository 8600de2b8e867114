import { plainBytes } from './plain-bytes.ts';

/** Replaces a secret. */
export const redacted = '[redacted]';

export interface Redactor {
  /** Remembers a secret value. Ignores values under four characters, which would redact ordinary text. */
  add(secret: string): void;
  remove(secret: string): void;
  /** Returns the text without known secrets, in whatever escapes of URLs, JSON and XML, and without base64 that holds one. */
  text(text: string): string;
  /** The same with a replacement that is computed from the text that was found. */
  replace(text: string, by: (found: string) => string): string;
}

/** A JSON value with `map` applied to its texts and keys, and to its numbers where that yields a number or redacts it. */
export function mapTexts(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === 'string') return map(value);
  if (typeof value === 'number') return mapNumber(value, map(String(value)));
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, map));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [map(key), mapTexts(item, map)])) as unknown;
}

function mapNumber(value: number, text: string): unknown {
  if (text === redacted) return redacted;
  const other = Number(text);
  return Number.isNaN(other) ? value : other;
}

const minLength = 4;
const maxEncodedTwice = 4_096;

/** The plain form of a text, with or without escapes. */
const plainOf = (text: string): string => plainBytes(text)?.bytes ?? Buffer.from(text).toString('latin1');

/** The spellings of a secret to search for: in a text as it is, and in its plain form. */
function spellings(secret: string): Set<string> {
  const wellFormed = secret.toWellFormed();
  const escaped = [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(wellFormed),
    new URLSearchParams({ s: secret }).toString().slice(2),
  ];
  const base64 = [...new Set(escaped)].flatMap(encodings);
  // A server may encode text that is base64 already, such as a header of basic authentication. For a long secret this would cost too much.
  const twice = secret.length <= maxEncodedTwice ? encodings(secret).flatMap(encodings) : [];
  const texts = [secret, ...base64, ...twice, Buffer.from(secret).toString('base64')];
  return new Set([...texts, ...texts.map(plainOf)]);
}

const encodings = (text: string): string[] =>
  [0, 1, 2].flatMap((offset) => [withinBase64(text, offset, 'base64'), withinBase64(text, offset, 'base64url')]);

/**
 * The characters of a base64 text that only the secret determines, when it follows `offset` bytes modulo three: characters at its edges
 * share bits with its neighbours.
 */
function withinBase64(secret: string, offset: number, encoding: 'base64' | 'base64url'): string {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]);
  return bytes.toString(encoding).slice(Math.ceil((offset * 8) / 6), Math.floor((bytes.byteLength * 8) / 6));
}

/** One spelling of a secret, kept only as its hash. */
interface Form {
  length: number;
  hash: number;
  /** `base` to the power of `length`. */
  power: number;
}

type Place = [start: number, end: number];

// A polynomial hash over UTF-16 units, modulo 2^32. A collision (one in four billion) redacts one ordinary word.
const base = 0x01000193;
const hashOn = (hash: number, text: string, at: number): number => Math.imul(hash, base) + text.charCodeAt(at);

/** Advances a 16-bit window over the last `minLength` (four) units by one; the oldest shifts out on the left. */
const windowOn = (window: number, text: string, at: number): number => ((window << 4) ^ text.charCodeAt(at)) & 0xffff;

function windowAt(text: string, at: number): number {
  let window = 0;
  for (let offset = 0; offset < minLength; offset += 1) window = windowOn(window, text, at + offset);
  return window;
}

function formOf(text: string): Form {
  let [hash, power] = [0, 1];
  for (let at = 0; at < text.length; at += 1) {
    hash = hashOn(hash, text, at);
    power = Math.imul(power, base);
  }
  return { length: text.length, hash: hash | 0, power };
}

/** The hash of every prefix of a text, from which the hash of any substring follows. */
function runningHashes(text: string): Int32Array {
  const hashes = new Int32Array(text.length + 1);
  for (let at = 0; at < text.length; at += 1) hashes[at + 1] = hashOn(hashes[at] as number, text, at);
  return hashes;
}

/**
 * Removes known secret values from logs and error messages. Holds at most `maxSecrets` and forgets the one added longest ago,
 * so that a process that runs for months does not keep every value it ever saw.
 *
 * Does not use a regular expression: V8 refuses one of 60 KB, which a single secret may need, and a text that nearly matches
 * costs it the product of their lengths. This takes one pass over a text, and one over its plain form where that differs,
 * whatever the number and length of the secrets.
 */
export const createRedactor = ({ maxSecrets = 1_000 }: { maxSecrets?: number } = {}): Redactor => {
  /** The forms of each secret, each with its key in `forms`: the window that it begins with. */
  const secrets = new Map<string, Map<Form, number>>();
  const forms = new Map<number, Set<Form>>();
  /** 1 for every window in `forms`; most of a text needs no closer look. Allocated with the first secret, since runs have few. */
  let begun: Uint8Array | undefined;

  function learn(secret: string): Map<Form, number> {
    const known = new Map<Form, number>();
    begun ??= new Uint8Array(0x1_0000);
    for (const text of spellings(secret)) {
      if (text.length < minLength) continue;
      const [form, begins] = [formOf(text), windowAt(text, 0)];
      known.set(form, begins);
      const alike = forms.get(begins);
      if (alike) alike.add(form);
      else forms.set(begins, new Set([form]));
      begun[begins] = 1;
    }
    return known;
  }

  function forget(secret: string): void {
    for (const [form, begins] of secrets.get(secret) ?? []) {
      const alike = forms.get(begins);
      alike?.delete(form);
      if (alike?.size !== 0) continue;
      forms.delete(begins);
      if (begun) begun[begins] = 0;
    }
    secrets.delete(secret);
  }

  /** Places of secrets, from the left; overlapping ones are merged, so that no part of a secret is left. */
  function find(text: string): Place[] {
    const found: Place[] = [];
    if (!begun) return found;
    let hashes: Int32Array | undefined;
    let window = 0;
    for (let last = 0; last < text.length; last += 1) {
      window = windowOn(window, text, last);
      const at = last - minLength + 1;
      if (begun[window] === 0 || at < 0) continue;
      hashes ??= runningHashes(text);
      let longest = 0;
      for (const { length, hash, power } of forms.get(window) ?? []) {
        if (length <= longest || at + length > text.length) continue;
        const here = ((hashes[at + length] as number) - Math.imul(hashes[at] as number, power)) | 0;
        if (here === hash) longest = length;
      }
      if (longest === 0) continue;
      const before = found.at(-1);
      if (before && at < before[1]) before[1] = Math.max(before[1], at + longest);
      else found.push([at, at + longest]);
    }
    return found;
  }

  /** The same in the plain form of a text, as places in the text itself. */
  function findEscaped(text: string): Place[] {
    const plain = begun && plainBytes(text);
    if (!plain) return [];
    return find(plain.bytes).map(([start, end]) => [plain.from[start] as number, plain.from[end] as number]);
  }

  /**
   * A literal secret may overlap the beginning of an escaped one, so both are searched for in the same text. The result is searched again,
   * because text beside a secret may have turned one of its characters into an escape.
   */
  function replace(text: string, by: (found: string) => string): string {
    const literal = find(text);
    const once = literal.length > 0 ? splice(text, joined([...literal, ...findEscaped(text)]), by) : text;
    return splice(once, findEscaped(once), by);
  }

  return {
    add: (secret) => {
      if (secret.length < minLength) return;
      const known = secrets.get(secret);
      secrets.delete(secret);
      secrets.set(secret, known ?? learn(secret));
      if (secrets.size > maxSecrets) forget(secrets.keys().next().value ?? '');
    },
    remove: forget,
    text: (text) => replace(text, () => redacted),
    replace,
  };
};

/** Places from the left, with those that overlap as one. */
function joined(places: Place[]): Place[] {
  const found: Place[] = [];
  for (const [start, end] of places.toSorted(([one], [other]) => one - other)) {
    const before = found.at(-1);
    if (before && start < before[1]) before[1] = Math.max(before[1], end);
    else found.push([start, end]);
  }
  return found;
}

function splice(text: string, places: Place[], by: (found: string) => string): string {
  let clean = '';
  let kept = 0;
  for (const [start, end] of places) {
    clean += text.slice(kept, start) + by(text.slice(start, end));
    kept = end;
  }
  return kept === 0 ? text : clean + text.slice(kept);
}
