/** URLs are parsed by the child's own WHATWG parser behind `ask`, so that they agree with what a request will use. */
import { defineProperty, parse } from './builtins.ts';
import { ask } from './host.ts';
import { Utf8Decoder, Utf8Encoder, toText } from './text-encoding.ts';

const decodeForm = (text: string): string => {
  const bytes: number[] = [];
  const plain = new Utf8Encoder().encode(text.replaceAll('+', ' '));
  for (let index = 0; index < plain.length; index += 1) {
    const hex = plain[index] === 0x25 ? String.fromCharCode(plain[index + 1] ?? 0, plain[index + 2] ?? 0) : '';
    if (/^[0-9a-f]{2}$/i.test(hex)) {
      bytes.push(Number.parseInt(hex, 16));
      index += 2;
    } else bytes.push(plain[index] ?? 0);
  }
  return new Utf8Decoder('utf-8', { ignoreBOM: true }).decode(new Uint8Array(bytes));
};
const encodeForm = (text: string): string =>
  encodeURIComponent(text.toWellFormed())
    .replaceAll('%20', '+')
    .replace(/[!'()~]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);

export class SearchParams {
  #pairs: [string, string][] = [];
  #changed: (query: string) => void = () => undefined;
  constructor(init: unknown = '', changed?: (query: string) => void) {
    if (typeof init === 'object' && init !== null) {
      const entries = Symbol.iterator in init ? (init as Iterable<[unknown, unknown]>) : Object.entries(init);
      for (const [name, value] of entries) this.#pairs.push([toText(name), toText(value)]);
    } else {
      for (const part of toText(init).replace(/^\?/, '').split('&')) {
        if (part === '') continue;
        const at = part.indexOf('=');
        const name = at < 0 ? part : part.slice(0, at);
        this.#pairs.push([decodeForm(name), at < 0 ? '' : decodeForm(part.slice(at + 1))]);
      }
    }
    if (changed !== undefined) this.#changed = changed;
  }
  get size(): number {
    return this.#pairs.length;
  }
  get(name: unknown): string | null {
    return this.#pairs.find(([key]) => key === toText(name))?.[1] ?? null;
  }
  getAll(name: unknown): string[] {
    return this.#pairs.filter(([key]) => key === toText(name)).map(([, value]) => value);
  }
  has(name: unknown): boolean {
    return this.#pairs.some(([key]) => key === toText(name));
  }
  append(name: unknown, value: unknown): void {
    this.#pairs.push([toText(name), toText(value)]);
    this.#changed(this.toString());
  }
  set(name: unknown, value: unknown): void {
    const first = this.#pairs.findIndex(([key]) => key === toText(name));
    if (first < 0) return this.append(name, value);
    this.#pairs = this.#pairs.filter(([key], index) => index <= first || key !== toText(name));
    this.#pairs[first] = [toText(name), toText(value)];
    this.#changed(this.toString());
  }
  delete(name: unknown): void {
    this.#pairs = this.#pairs.filter(([key]) => key !== toText(name));
    this.#changed(this.toString());
  }
  sort(): void {
    this.#pairs.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    this.#changed(this.toString());
  }
  forEach(callback: (value: string, name: string, params: unknown) => void): void {
    for (const [name, value] of this.#pairs) callback(value, name, this);
  }
  *entries(): IterableIterator<[string, string]> {
    yield* this.#pairs.map(([name, value]): [string, string] => [name, value]);
  }
  *keys(): IterableIterator<string> {
    yield* this.#pairs.map(([name]) => name);
  }
  *values(): IterableIterator<string> {
    yield* this.#pairs.map(([, value]) => value);
  }
  [Symbol.iterator](): IterableIterator<[string, string]> {
    return this.entries();
  }
  toString(): string {
    return this.#pairs.map(([name, value]) => `${encodeForm(name)}=${encodeForm(value)}`).join('&');
  }
}

const urlParts = [
  'href',
  'protocol',
  'username',
  'password',
  'host',
  'hostname',
  'port',
  'pathname',
  'search',
  'hash',
  'origin',
] as const;
type UrlParts = Record<(typeof urlParts)[number], string>;

const parseUrl = (href: unknown, base: unknown): string =>
  ask('url', toText(href), base === undefined ? '' : toText(base), '');

export class ParsedUrl {
  #parts: UrlParts;
  #params: SearchParams | undefined;
  /** The query that `#params` was made of. */
  #paramsQuery = '';

  static {
    for (const part of urlParts) {
      defineProperty(ParsedUrl.prototype, part, {
        get(this: ParsedUrl) {
          return this.#parts[part];
        },
        set:
          part === 'origin'
            ? undefined
            : function (this: ParsedUrl, value: unknown) {
                this.#write(part, value);
              },
        enumerable: true,
        configurable: true,
      });
    }
  }

  constructor(href: unknown, base?: unknown) {
    const json = parseUrl(href, base);
    if (json === '') throw Object.assign(new TypeError('Invalid URL'), { code: 'ERR_INVALID_URL' });
    this.#parts = parse(json) as UrlParts;
  }
  static canParse(href: unknown, base?: unknown): boolean {
    return parseUrl(href, base) !== '';
  }
  get searchParams(): SearchParams {
    const { search } = this.#parts;
    if (this.#params === undefined || this.#paramsQuery !== search) {
      this.#paramsQuery = search;
      this.#params = new SearchParams(search, (query) => {
        this.#write('search', query);
        this.#paramsQuery = this.#parts.search;
      });
    }
    return this.#params;
  }
  toString(): string {
    return this.#parts.href;
  }
  toJSON(): string {
    return this.#parts.href;
  }
  #write(part: string, value: unknown): void {
    const json = ask('url-set', this.#parts.href, part, toText(value));
    if (json !== '') this.#parts = parse(json) as UrlParts;
    else if (part === 'href') throw new TypeError('Invalid URL');
  }
}
