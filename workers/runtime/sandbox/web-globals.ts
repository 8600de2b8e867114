/**
 * The usual globals that an isolate lacks, with strings in and out. Runs inside the isolate; its source text is what is
 * injected. URLs are parsed by the child's own WHATWG parser behind `ask`, so that they agree with what a request will
 * use and no second parser has to be kept right. Only UTF-8 is decoded.
 */
export type Ask = (operation: string, a: string, b: string, c: string) => string;

export function installWebGlobals(ask: Ask): void {
  'use strict';
  const { parse } = JSON;
  const { defineProperty } = Object;
  const scope = globalThis as unknown as Record<string, unknown>;
  // Values are converted to text by the rules of the language, including objects with their own toString.
  const textOf = (value: unknown): string => ''.concat(value as string);
  const provide = (name: string, value: unknown): void => {
    defineProperty(scope, name, { value, writable: true, enumerable: false, configurable: true });
  };

  class Utf8Encoder {
    get encoding(): string {
      return 'utf-8';
    }
    encode(text: unknown = ''): Uint8Array {
      const source = textOf(text).toWellFormed();
      const bytes = new Uint8Array(source.length * 3);
      let length = 0;
      for (let index = 0; index < source.length; index += 1) {
        const point = source.codePointAt(index) ?? 0;
        if (point < 0x80) bytes[length++] = point;
        else if (point < 0x800) {
          bytes[length++] = 0xc0 | (point >> 6);
          bytes[length++] = 0x80 | (point & 0x3f);
        } else if (point < 0x10000) {
          bytes[length++] = 0xe0 | (point >> 12);
          bytes[length++] = 0x80 | ((point >> 6) & 0x3f);
          bytes[length++] = 0x80 | (point & 0x3f);
        } else {
          index += 1;
          bytes[length++] = 0xf0 | (point >> 18);
          bytes[length++] = 0x80 | ((point >> 12) & 0x3f);
          bytes[length++] = 0x80 | ((point >> 6) & 0x3f);
          bytes[length++] = 0x80 | (point & 0x3f);
        }
      }
      return bytes.slice(0, length);
    }
  }

  class Utf8Decoder {
    readonly fatal: boolean;
    readonly ignoreBOM: boolean;
    constructor(label: unknown = 'utf-8', options: { fatal?: unknown; ignoreBOM?: unknown } = {}) {
      if (!/^(utf-?8|unicode-1-1-utf-8)$/i.test(textOf(label).trim())) {
        throw new RangeError(`Only UTF-8 is decoded here, not ${textOf(label)}.`);
      }
      this.fatal = Boolean(options.fatal);
      this.ignoreBOM = Boolean(options.ignoreBOM);
    }
    get encoding(): string {
      return 'utf-8';
    }
    decode(input?: ArrayBuffer | ArrayBufferView): string {
      if (input === undefined) return '';
      const bytes = ArrayBuffer.isView(input)
        ? new Uint8Array(input.buffer, input.byteOffset, input.byteLength)
        : new Uint8Array(input);
      let text = '';
      let units: number[] = [];
      let index = !this.ignoreBOM && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
      while (index < bytes.length) {
        const first = bytes[index++] ?? 0;
        let point = first;
        if (first >= 0x80) {
          const more =
            first >= 0xc2 && first < 0xe0
              ? 1
              : first >= 0xe0 && first < 0xf0
                ? 2
                : first >= 0xf0 && first < 0xf5
                  ? 3
                  : 0;
          point = more === 0 ? -1 : first & (0x3f >> more);
          for (let step = 0; step < more && point >= 0; step += 1) {
            const next = bytes[index] ?? 0;
            // The first continuation byte has a narrower range where a longer or a surrogate encoding would start.
            const lowest = step > 0 ? 0x80 : first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
            const highest = step > 0 ? 0xbf : first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
            if (index >= bytes.length || next < lowest || next > highest) point = -1;
            else {
              point = (point << 6) | (next & 0x3f);
              index += 1;
            }
          }
        }
        if (point < 0 && this.fatal) throw new TypeError('The bytes are not valid UTF-8.');
        units.push(point < 0 ? 0xfffd : point);
        if (units.length === 4096) {
          text += String.fromCodePoint(...units);
          units = [];
        }
      }
      return text + String.fromCodePoint(...units);
    }
  }

  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  function encodeBase64(input: unknown): string {
    const text = textOf(input);
    let result = '';
    for (let index = 0; index < text.length; index += 3) {
      const [a, b, c] = [text.charCodeAt(index), text.charCodeAt(index + 1), text.charCodeAt(index + 2)] as const;
      if (a > 255 || b > 255 || c > 255) throw new RangeError('btoa takes characters up to U+00FF.');
      const bits = (a << 16) | ((b || 0) << 8) | (c || 0);
      result += alphabet.charAt(bits >> 18) + alphabet.charAt((bits >> 12) & 63);
      result += Number.isNaN(b) ? '=' : alphabet.charAt((bits >> 6) & 63);
      result += Number.isNaN(c) ? '=' : alphabet.charAt(bits & 63);
    }
    return result;
  }
  function decodeBase64(input: unknown): string {
    let text = textOf(input).replace(/[\t\n\f\r ]/g, '');
    if (text.length % 4 === 0) text = text.replace(/={1,2}$/, '');
    if (text.length % 4 === 1 || /[^A-Za-z0-9+/]/.test(text)) throw new RangeError('atob takes base64.');
    let result = '';
    let bits = 0;
    let count = 0;
    for (const character of text) {
      bits = ((bits << 6) | alphabet.indexOf(character)) & 0xffffff;
      count += 6;
      if (count >= 8) {
        count -= 8;
        result += String.fromCharCode((bits >> count) & 255);
      }
    }
    return result;
  }

  function cloneValue(value: unknown, seen: Map<object, unknown>): unknown {
    if (typeof value === 'function' || typeof value === 'symbol')
      throw new TypeError(`A ${typeof value} cannot be cloned.`);
    if (typeof value !== 'object' || value === null) return value;
    if (seen.has(value)) return seen.get(value);
    const remember = <T extends object>(copy: T): T => {
      seen.set(value, copy);
      return copy;
    };
    if (value instanceof Date) return remember(new Date(value.getTime()));
    if (value instanceof RegExp) return remember(new RegExp(value.source, value.flags));
    if (value instanceof ArrayBuffer) return remember(value.slice(0));
    if (value instanceof DataView) {
      return remember(new DataView(cloneValue(value.buffer, seen) as ArrayBuffer, value.byteOffset, value.byteLength));
    }
    if (ArrayBuffer.isView(value)) return remember((value as Uint8Array).slice());
    if (value instanceof Map) {
      const copy = remember(new Map());
      for (const [key, item] of value) copy.set(cloneValue(key, seen), cloneValue(item, seen));
      return copy;
    }
    if (value instanceof Set) {
      const copy = remember(new Set());
      for (const item of value) copy.add(cloneValue(item, seen));
      return copy;
    }
    if (value instanceof Error) {
      const copy = remember(new Error(value.message));
      copy.name = value.name;
      return copy;
    }
    const copy = remember(Array.isArray(value) ? [] : {}) as Record<string, unknown>;
    // Not through a constructor that fills the array: a hole stays a hole.
    if (Array.isArray(value)) Object.assign(copy, { length: value.length });
    for (const key of Object.keys(value)) {
      const item = cloneValue((value as Record<string, unknown>)[key], seen);
      defineProperty(copy, key, { value: item, writable: true, enumerable: true, configurable: true });
    }
    return copy;
  }

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

  class SearchParams {
    #pairs: [string, string][] = [];
    #changed: (query: string) => void = () => undefined;
    constructor(init: unknown = '', changed?: (query: string) => void) {
      if (typeof init === 'object' && init !== null) {
        const entries = Symbol.iterator in init ? (init as Iterable<[unknown, unknown]>) : Object.entries(init);
        for (const [name, value] of entries) this.#pairs.push([textOf(name), textOf(value)]);
      } else {
        for (const part of textOf(init).replace(/^\?/, '').split('&')) {
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
      return this.#pairs.find(([key]) => key === textOf(name))?.[1] ?? null;
    }
    getAll(name: unknown): string[] {
      return this.#pairs.filter(([key]) => key === textOf(name)).map(([, value]) => value);
    }
    has(name: unknown): boolean {
      return this.#pairs.some(([key]) => key === textOf(name));
    }
    append(name: unknown, value: unknown): void {
      this.#pairs.push([textOf(name), textOf(value)]);
      this.#changed(this.toString());
    }
    set(name: unknown, value: unknown): void {
      const first = this.#pairs.findIndex(([key]) => key === textOf(name));
      if (first < 0) return this.append(name, value);
      this.#pairs = this.#pairs.filter(([key], index) => index <= first || key !== textOf(name));
      this.#pairs[first] = [textOf(name), textOf(value)];
      this.#changed(this.toString());
    }
    delete(name: unknown): void {
      this.#pairs = this.#pairs.filter(([key]) => key !== textOf(name));
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

  const parseUrl = (href: unknown, base: unknown): string =>
    ask('url', textOf(href), base === undefined ? '' : textOf(base), '');
  const partsOf = new WeakMap<object, Record<string, string>>();
  const read = (url: object, part: string): string => partsOf.get(url)?.[part] ?? '';
  const write = (url: object, part: string, value: unknown): void => {
    const json = ask('url-set', read(url, 'href'), part, textOf(value));
    if (json !== '') partsOf.set(url, parse(json) as Record<string, string>);
    else if (part === 'href') throw new TypeError('Invalid URL');
  };
  class ParsedUrl {
    #params: SearchParams | undefined;
    #paramsOf = '';
    constructor(href: unknown, base?: unknown) {
      const json = parseUrl(href, base);
      if (json === '') throw Object.assign(new TypeError('Invalid URL'), { code: 'ERR_INVALID_URL' });
      partsOf.set(this, parse(json) as Record<string, string>);
    }
    static canParse(href: unknown, base?: unknown): boolean {
      return parseUrl(href, base) !== '';
    }
    get searchParams(): SearchParams {
      const search = read(this, 'search');
      if (this.#params === undefined || this.#paramsOf !== search) {
        this.#paramsOf = search;
        this.#params = new SearchParams(search, (query) => {
          write(this, 'search', query);
          this.#paramsOf = read(this, 'search');
        });
      }
      return this.#params;
    }
    toString(): string {
      return read(this, 'href');
    }
    toJSON(): string {
      return read(this, 'href');
    }
  }
  for (const part of [
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
  ]) {
    defineProperty(ParsedUrl.prototype, part, {
      get(this: ParsedUrl) {
        return read(this, part);
      },
      set:
        part === 'origin'
          ? undefined
          : function (this: ParsedUrl, value: unknown) {
              write(this, part, value);
            },
      enumerable: true,
      configurable: true,
    });
  }

  provide('TextEncoder', Utf8Encoder);
  provide('TextDecoder', Utf8Decoder);
  provide('btoa', encodeBase64);
  provide('atob', decodeBase64);
  provide('structuredClone', (value: unknown) => cloneValue(value, new Map()));
  provide('URLSearchParams', SearchParams);
  provide('URL', ParsedUrl);
  provide('queueMicrotask', (callback: () => void) => void Promise.resolve().then(callback));
  provide('crypto', {
    randomUUID: () => ask('uuid', '', '', ''),
    getRandomValues: (array: Uint8Array) => {
      if (!ArrayBuffer.isView(array) || array.byteLength > 65_536) {
        throw new RangeError('getRandomValues fills an integer array of at most 65536 bytes.');
      }
      const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
      const hex = ask('random', String(bytes.length), '', '');
      for (let index = 0; index < bytes.length; index += 1) {
        bytes[index] = Number.parseInt(hex.slice(index * 2, index * 2 + 2), 16);
      }
      return array;
    },
  });
}
