/** UTF-8 and base64. No other encoding is decoded. */

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Converts by the rules of the language, which call an object's own toString and refuse symbols. */
export const toText = (value: unknown): string => ''.concat(value as string);

export class Utf8Encoder {
  get encoding(): string {
    return 'utf-8';
  }
  encode(text: unknown = ''): Uint8Array {
    const source = toText(text).toWellFormed();
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

export class Utf8Decoder {
  readonly fatal: boolean;
  readonly ignoreBOM: boolean;
  constructor(label: unknown = 'utf-8', options: { fatal?: unknown; ignoreBOM?: unknown } = {}) {
    if (!/^(utf-?8|unicode-1-1-utf-8)$/i.test(toText(label).trim())) {
      throw new RangeError(`Only UTF-8 is decoded here, not ${toText(label)}.`);
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
          first >= 0xc2 && first < 0xe0 ? 1 : first >= 0xe0 && first < 0xf0 ? 2 : first >= 0xf0 && first < 0xf5 ? 3 : 0;
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

const codes = Array.from(alphabet, (character) => character.charCodeAt(0));
const padding = '='.charCodeAt(0);
/** The most arguments that one call takes safely. */
const callWidth = 8192;

const textFromCodes = (units: Uint8Array): string => {
  let text = '';
  for (let at = 0; at < units.length; at += callWidth)
    text += String.fromCharCode(...units.subarray(at, at + callWidth));
  return text;
};

export function bytesToBase64(bytes: Uint8Array): string {
  const result = new Uint8Array(Math.ceil(bytes.length / 3) * 4).fill(padding);
  for (let from = 0, to = 0; from < bytes.length; from += 3, to += 4) {
    const left = bytes.length - from;
    const bits = ((bytes[from] ?? 0) << 16) | ((bytes[from + 1] ?? 0) << 8) | (bytes[from + 2] ?? 0);
    result[to] = codes[bits >> 18] ?? 0;
    result[to + 1] = codes[(bits >> 12) & 63] ?? 0;
    if (left > 1) result[to + 2] = codes[(bits >> 6) & 63] ?? 0;
    if (left > 2) result[to + 3] = codes[bits & 63] ?? 0;
  }
  return textFromCodes(result);
}

const digits = new Int8Array(128).fill(-1);
for (const [digit, code] of codes.entries()) digits[code] = digit;

/** Throws a RangeError for anything but base64. Padding is not required, and white space is ignored. */
export function base64ToBytes(given: string): Uint8Array {
  let text = given.replace(/[\t\n\f\r ]/g, '');
  if (text.length % 4 === 0) text = text.replace(/={1,2}$/, '');
  if (text.length % 4 === 1) throw new RangeError('atob takes base64.');
  const bytes = new Uint8Array(Math.floor((text.length * 3) / 4));
  let bits = 0;
  let count = 0;
  let length = 0;
  for (let index = 0; index < text.length; index += 1) {
    const digit = digits[text.charCodeAt(index)] ?? -1;
    if (digit < 0) throw new RangeError('atob takes base64.');
    bits = ((bits << 6) | digit) & 0xffffff;
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes[length++] = (bits >> count) & 255;
    }
  }
  return bytes;
}

/** `btoa` */
export function encodeBase64(input: unknown): string {
  const text = toText(input);
  const bytes = new Uint8Array(text.length);
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code > 255) throw new RangeError('btoa takes characters up to U+00FF.');
    bytes[index] = code;
  }
  return bytesToBase64(bytes);
}

/** `atob` */
export const decodeBase64 = (input: unknown): string => textFromCodes(base64ToBytes(toText(input)));
