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
const toPlain = (text: string): string => plainBytes(text)?.bytes ?? Buffer.from(text).toString('latin1');

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
  return new Set([...texts, ...texts.map(toPlain)]);
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
  /** The window over its first characters. */
  begin: number;
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

function hashForm(text: string): Form {
  let [hash, power] = [0, 1];
  for (let at = 0; at < text.length; at += 1) {
    hash = hashOn(hash, text, at);
    power = Math.imul(power, base);
  }
  return { length: text.length, hash: hash | 0, power, begin: windowAt(text, 0) };
}

/** The hash of every prefix of a text, from which the hash of any substring follows. */
function runningHashes(text: string): Int32Array {
  const hashes = new Int32Array(text.length + 1);
  for (let at = 0; at < text.length; at += 1) hashes[at + 1] = hashOn(hashes[at] as number, text, at);
  return hashes;
}

export const createRedactor = ({ maxSecrets = 1_000 }: { maxSecrets?: number } = {}): Redactor =>
  new FormRedactor(maxSecrets);

/**
 * Removes known secret values from logs and error messages. Holds at most `maxSecrets` and forgets the one added longest ago,
 * so that a process that runs for months does not keep every value it ever saw.
 *
 * Does not use a regular expression: V8 refuses one of 60 KB, which a single secret may need, and a text that nearly matches
 * costs it the product of their lengths. This takes one pass over a text, and one over its plain form where that differs,
 * whatever the number and length of the secrets.
 */
class FormRedactor implements Redactor {
  readonly #maxSecrets: number;
  readonly #index = new FormIndex();
  /** The forms of each secret, the one added longest ago first. */
  readonly #secrets = new Map<string, Form[]>();

  constructor(maxSecrets: number) {
    this.#maxSecrets = maxSecrets;
  }

  add(secret: string): void {
    if (secret.length < minLength) return;
    const known = this.#secrets.get(secret);
    this.#secrets.delete(secret);
    this.#secrets.set(secret, known ?? this.#learn(secret));
    if (this.#secrets.size > this.#maxSecrets) this.remove(this.#secrets.keys().next().value ?? '');
  }

  remove(secret: string): void {
    for (const form of this.#secrets.get(secret) ?? []) this.#index.delete(form);
    this.#secrets.delete(secret);
  }

  text(text: string): string {
    return this.replace(text, () => redacted);
  }

  /**
   * A literal secret may overlap the beginning of an escaped one, so both are searched for in the same text. The result is searched again,
   * because text beside a secret may have turned one of its characters into an escape.
   */
  replace(text: string, by: (found: string) => string): string {
    const literal = this.#index.find(text);
    const once = literal.length > 0 ? splice(text, joined([...literal, ...this.#findEscaped(text)]), by) : text;
    return splice(once, this.#findEscaped(once), by);
  }

  #learn(secret: string): Form[] {
    const forms = [...spellings(secret)].filter((text) => text.length >= minLength).map(hashForm);
    for (const form of forms) this.#index.add(form);
    return forms;
  }

  /** Where secrets stand in the plain form of a text, as places in the text itself. */
  #findEscaped(text: string): Place[] {
    const plain = this.#index.isUnused ? undefined : plainBytes(text);
    if (!plain) return [];
    return this.#index
      .find(plain.bytes)
      .map(([start, end]) => [plain.from[start] as number, plain.from[end] as number]);
  }
}

/** Finds forms in a text in one pass, by the window that they begin with. */
class FormIndex {
  readonly #forms = new Map<number, Set<Form>>();
  /** 1 for every window in `#forms`; most of a text needs no closer look. Allocated with the first form, since runs have few. */
  #isBegin: Uint8Array | undefined;

  /** True until the first form is added. */
  get isUnused(): boolean {
    return this.#isBegin === undefined;
  }

  add(form: Form): void {
    this.#isBegin ??= new Uint8Array(0x1_0000);
    const alike = this.#forms.get(form.begin);
    if (alike) alike.add(form);
    else this.#forms.set(form.begin, new Set([form]));
    this.#isBegin[form.begin] = 1;
  }

  delete(form: Form): void {
    const alike = this.#forms.get(form.begin);
    alike?.delete(form);
    if (alike?.size !== 0) return;
    this.#forms.delete(form.begin);
    if (this.#isBegin) this.#isBegin[form.begin] = 0;
  }

  /** Places of forms, from the left; overlapping ones are merged, so that no part of a secret is left. */
  find(text: string): Place[] {
    const found: Place[] = [];
    const isBegin = this.#isBegin;
    if (!isBegin) return found;
    let hashes: Int32Array | undefined;
    let window = 0;
    for (let last = 0; last < text.length; last += 1) {
      window = windowOn(window, text, last);
      const at = last - minLength + 1;
      if (isBegin[window] === 0 || at < 0) continue;
      hashes ??= runningHashes(text);
      const length = this.#longestAt(window, hashes, at);
      if (length === 0) continue;
      const before = found.at(-1);
      if (before && at < before[1]) before[1] = Math.max(before[1], at + length);
      else found.push([at, at + length]);
    }
    return found;
  }

  /** The length of the longest form that stands at a place of a text, which begins with this window; 0 when there is none. */
  #longestAt(window: number, hashes: Int32Array, at: number): number {
    let longest = 0;
    for (const { length, hash, power } of this.#forms.get(window) ?? []) {
      if (length <= longest || at + length >= hashes.length) continue;
      const here = ((hashes[at + length] as number) - Math.imul(hashes[at] as number, power)) | 0;
      if (here === hash) longest = length;
    }
    return longest;
  }
}

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
