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

function hexDigit(byte: number | undefined): number {
  if (byte === undefined) return -1;
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
export function plainBytes(text: string): PlainBytes | undefined {
  if (!escapes.test(text)) return undefined;
  const encoded = Buffer.from(text);
  const bytes = Buffer.allocUnsafe(encoded.length);
  const from = new Int32Array(encoded.length + 1);
  let length = 0;

  /** Replaces the last `count` bytes by a character. */
  function replaceLast(count: number, char: number): void {
    const start = length - count;
    const at = from[start] as number;
    length = start;
    const isLow = char >= 0xdc00 && char <= 0xdfff;
    const high = isLow ? highSurrogateBefore() : undefined;
    if (high !== undefined) {
      length -= 3;
      append(0x1_0000 + ((high - 0xd800) << 10) + (char - 0xdc00), from[length] as number);
    } else append(char, at);
  }

  /** Half of a surrogate pair that JSON wrote as two escapes; stored here as the three bytes that UTF-8 does not allow. */
  function highSurrogateBefore(): number | undefined {
    if (length < 3 || bytes[length - 3] !== 0xed || (bytes[length - 2] as number) < 0xa0) return undefined;
    return 0xd000 | (((bytes[length - 2] as number) & 0x3f) << 6) | ((bytes[length - 1] as number) & 0x3f);
  }

  function append(char: number, at: number): void {
    const put = (byte: number): void => {
      bytes[length] = byte;
      from[length] = at;
      length += 1;
    };
    if (char < 0x80) return put(char);
    if (char < 0x800) put(0xc0 | (char >> 6));
    else {
      if (char < 0x1_0000) put(0xe0 | (char >> 12));
      else {
        put(0xf0 | (char >> 18));
        put(0x80 | ((char >> 12) & 0x3f));
      }
      put(0x80 | ((char >> 6) & 0x3f));
    }
    put(0x80 | (char & 0x3f));
  }

  const hexAt = (at: number, digits: number): number => {
    let value = 0;
    for (let offset = 0; offset < digits; offset += 1) {
      const digit = hexDigit(bytes[at + offset]);
      if (digit < 0) return -1;
      value = value * 16 + digit;
    }
    return value;
  };

  /** Undoes the escape that the last byte completes, if it completes one. */
  function reduce(): boolean {
    const last = bytes[length - 1] as number;
    if (last === semicolon) return reduceEntity();
    if (length >= 2 && bytes[length - 2] === backslash) {
      const meant = jsonEscapes.get(last);
      if (meant === undefined) return false;
      replaceLast(2, meant);
      return true;
    }
    if (hexDigit(last) < 0) return false;
    if (length >= 3 && bytes[length - 3] === percent) {
      const byte = hexAt(length - 2, 2);
      if (byte < 0) return false;
      length -= 2;
      bytes[length - 1] = byte;
      return true;
    }
    if (length < 6 || bytes[length - 6] !== backslash || bytes[length - 5] !== letterU) return false;
    const unit = hexAt(length - 4, 4);
    if (unit < 0) return false;
    replaceLast(6, unit);
    return true;
  }

  function reduceEntity(): boolean {
    const earliest = Math.max(0, length - longestEntity);
    for (let at = length - 2; at >= earliest; at -= 1) {
      if (bytes[at] !== ampersand) continue;
      const name = bytes.toString('latin1', at + 1, length - 1);
      const [, hex, decimal] = /^#(?:x([0-9a-f]+)|(\d+))$/i.exec(name) ?? [];
      const char = entities.get(name)?.charCodeAt(0) ?? Number.parseInt(hex ?? decimal ?? '', hex ? 16 : 10);
      if (!(char <= 0x10_ffff)) return false;
      replaceLast(length - at, char);
      return true;
    }
    return false;
  }

  let [next, at] = [0, 0];
  /** Where the last escape may have begun; for most bytes, earlier bytes need not be examined. */
  let opened = -longestEscape;
  for (let read = 0; read < encoded.length; read += 1) {
    const byte = encoded[read] as number;
    if ((byte & 0xc0) !== 0x80) {
      at = next;
      next += byte >= 0xf0 ? 2 : 1;
    }
    bytes[length] = byte;
    from[length] = at;
    length += 1;
    let last: number | undefined = byte;
    if (byte === backslash || byte === percent) opened = length;
    while ((length - opened < longestEscape || last === semicolon) && reduce()) {
      last = bytes[length - 1];
      if (last === backslash || last === percent) opened = length;
    }
    if (last === lineFeed || last === carriageReturn) length -= 1;
    else if (last === plus) bytes[length - 1] = code(' ');
  }
  from[length] = text.length;
  return { bytes: bytes.toString('latin1', 0, length), from };
}
