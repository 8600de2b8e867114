/** A text as UTF-8 without its escapes, one character a byte. */
export interface PlainBytes {
  bytes: string;
  /** Where in the text each byte comes from; one more for its end. */
  from: Int32Array;
}

/** A text without any of these is its own plain form, but for its encoding. */
const escapes = /[%\\&+\r\n]/;

const code = (char: string): number => char.charCodeAt(0);
const [backslash, percent, plus, ampersand, semicolon] = [code('\\'), code('%'), code('+'), code('&'), code(';')];
const [lineFeed, carriageReturn, letterU] = [code('\n'), code('\r'), code('u')];
/** The characters that JSON may write after a backslash, and what each stands for. */
const jsonEscapes = new Map(
  Object.entries({ '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }).map(
    ([letter, char]) => [code(letter), code(char)],
  ),
);
const entities = new Map(Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }));
const longestEntity = 10;
const longestEscape = 6;

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

/**
 * Undoes escapes of URLs (`%2F`, `+`), JSON (`\/`, `\u00e4`) and XML (`&lt;`, `&#39;`), however often they were applied and in whatever
 * order, and drops line breaks; undefined if there are none. The result is for comparison only, not the meaning of the text: an undone
 * escape may complete another one, so each byte is examined together with those before it. An undone escape is always shorter than the
 * escape, so this takes one pass.
 */
export const plainBytes = (text: string): PlainBytes | undefined =>
  escapes.test(text) ? new Unescaping(Buffer.from(text)).run(text.length) : undefined;

/** The bytes of a text so far, without the escapes that were completed. */
class Unescaping {
  readonly #encoded: Buffer;
  readonly #bytes: Buffer;
  readonly #from: Int32Array;
  #length = 0;

  constructor(encoded: Buffer) {
    this.#encoded = encoded;
    this.#bytes = Buffer.allocUnsafe(encoded.length);
    this.#from = new Int32Array(encoded.length + 1);
  }

  run(textLength: number): PlainBytes {
    let [next, at] = [0, 0];
    /** Where the last escape may have begun; for most bytes, earlier bytes need not be examined. */
    let opened = -longestEscape;
    for (let read = 0; read < this.#encoded.length; read += 1) {
      const byte = this.#encoded[read] as number;
      if ((byte & 0xc0) !== 0x80) {
        at = next;
        next += byte >= 0xf0 ? 2 : 1;
      }
      this.#put(byte, at);
      let last: number | undefined = byte;
      if (byte === backslash || byte === percent) opened = this.#length;
      while ((this.#length - opened < longestEscape || last === semicolon) && this.#undoEscape()) {
        last = this.#bytes[this.#length - 1];
        if (last === backslash || last === percent) opened = this.#length;
      }
      if (last === lineFeed || last === carriageReturn) this.#length -= 1;
      else if (last === plus) this.#bytes[this.#length - 1] = code(' ');
    }
    this.#from[this.#length] = textLength;
    return { bytes: this.#bytes.toString('latin1', 0, this.#length), from: this.#from };
  }

  /** Undoes the escape that the last byte completes, if it completes one. */
  #undoEscape(): boolean {
    const last = this.#before(1);
    if (last === semicolon) return this.#undoEntity();
    if (this.#before(2) === backslash) {
      const meant = jsonEscapes.get(last);
      if (meant === undefined) return false;
      this.#replaceLast(2, meant);
      return true;
    }
    if (hexDigit(last) < 0) return false;
    if (this.#before(3) === percent) {
      const byte = this.#hexBefore(2);
      if (byte < 0) return false;
      this.#length -= 2;
      this.#bytes[this.#length - 1] = byte;
      return true;
    }
    if (this.#before(6) !== backslash || this.#before(5) !== letterU) return false;
    const unit = this.#hexBefore(4);
    if (unit < 0) return false;
    this.#replaceLast(6, unit);
    return true;
  }

  #undoEntity(): boolean {
    const earliest = Math.max(0, this.#length - longestEntity);
    for (let at = this.#length - 2; at >= earliest; at -= 1) {
      if (this.#bytes[at] !== ampersand) continue;
      const name = this.#bytes.toString('latin1', at + 1, this.#length - 1);
      const [, hex, decimal] = /^#(?:x([0-9a-f]+)|(\d+))$/i.exec(name) ?? [];
      const char = entities.get(name)?.charCodeAt(0) ?? Number.parseInt(hex ?? decimal ?? '', hex ? 16 : 10);
      if (!(char <= 0x10_ffff)) return false;
      this.#replaceLast(this.#length - at, char);
      return true;
    }
    return false;
  }

  /** Replaces the last `count` bytes by a character. */
  #replaceLast(count: number, char: number): void {
    this.#length -= count;
    const at = this.#from[this.#length] as number;
    const isLow = char >= 0xdc00 && char <= 0xdfff;
    const high = isLow ? this.#highSurrogateBefore() : undefined;
    if (high === undefined) this.#append(char, at);
    else {
      this.#length -= 3;
      this.#append(0x1_0000 + ((high - 0xd800) << 10) + (char - 0xdc00), this.#from[this.#length] as number);
    }
  }

  /** Half of a surrogate pair that JSON wrote as two escapes; stored here as the three bytes that UTF-8 does not allow. */
  #highSurrogateBefore(): number | undefined {
    if (this.#before(3) !== 0xed || this.#before(2) < 0xa0) return undefined;
    return 0xd000 | ((this.#before(2) & 0x3f) << 6) | (this.#before(1) & 0x3f);
  }

  /** Appends a character in UTF-8. */
  #append(char: number, at: number): void {
    if (char < 0x80) return this.#put(char, at);
    if (char < 0x800) this.#put(0xc0 | (char >> 6), at);
    else {
      if (char < 0x1_0000) this.#put(0xe0 | (char >> 12), at);
      else {
        this.#put(0xf0 | (char >> 18), at);
        this.#put(0x80 | ((char >> 12) & 0x3f), at);
      }
      this.#put(0x80 | ((char >> 6) & 0x3f), at);
    }
    this.#put(0x80 | (char & 0x3f), at);
  }

  #put(byte: number, at: number): void {
    this.#bytes[this.#length] = byte;
    this.#from[this.#length] = at;
    this.#length += 1;
  }

  /** The byte that stands so many places before the end; -1 before the first. */
  #before(places: number): number {
    return places <= this.#length ? (this.#bytes[this.#length - places] as number) : -1;
  }

  /** The value of the last hexadecimal digits; -1 if they are none. */
  #hexBefore(digits: number): number {
    let value = 0;
    for (let place = digits; place > 0; place -= 1) {
      const digit = hexDigit(this.#before(place));
      if (digit < 0) return -1;
      value = value * 16 + digit;
    }
    return value;
  }
}
