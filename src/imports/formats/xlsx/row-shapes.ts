/** A part of a row whose bytes may differ between rows of the same shape. */
export interface Placeholder {
  begin: number;
  end: number;
  /** 1 for each byte that it may hold. The byte that ends it is never one of them. */
  accepts: Uint8Array;
}

/** Rows of one shape have the same bytes except for their placeholders. */
export interface Shape<Layout> {
  /** The cells that the placeholders belong to. */
  layout: Layout;
  /** The end of the row that was found, and the bounds of its placeholders. Valid until the next call of `find`. */
  end: number;
  begins: Int32Array;
  ends: Int32Array;
}

/** The number of the placeholder that a text is; -1 if it has none, undefined if it has other characters too. */
export type FindPlaceholder = (text: string) => number | undefined;

export interface Learning<Layout> {
  /** The placeholders of a parsed row, one character per byte; undefined for a row that cannot be recognised by its bytes. */
  findPlaceholders: (record: string) => readonly Placeholder[] | undefined;
  /** The layout of a row with a mark in each placeholder; undefined if a cell is more than one placeholder. */
  readLayout: (marked: Buffer, placeholderIn: FindPlaceholder) => Layout | undefined;
}

/** The shapes of the rows of a sheet. */
export interface Shapes<Layout> {
  /** The shape of the row that begins there; undefined if it is unknown, or the row is cut or too long. */
  find: (bytes: Uint8Array, from: number) => Shape<Layout> | undefined;
  /** Adds the shape of a row, up to a limit. */
  learn: (record: Buffer, by: Learning<Layout>) => void;
}

/** A sheet that a program writes has one shape, and a few more if values may be missing. */
const maxShapes = 8;
const maxPlaceholders = 256;
/** Longer rows are parsed: the parser has bounds of its own. */
const maxBytes = 32 * 1024;
/** Rows to learn from, at most. Rows with characters that must be parsed count too. */
const maxLearned = 64;
/** The mark of a placeholder: digits, which are valid text and valid numbers. */
const mark = '730284619503';
const firstMark = 100;
const markLength = mark.length + 3;

/** Bytes of ASCII characters that are not controls, except some. */
export const textBytes = (except: string): Uint8Array =>
  Uint8Array.from({ length: 256 }, (_, byte) =>
    byte >= 0x20 && byte <= 0x7e && !except.includes(String.fromCharCode(byte)) ? 1 : 0,
  );

/** The bytes of these characters. */
export const onlyBytes = (characters: string): Uint8Array =>
  Uint8Array.from({ length: 256 }, (_, byte) => (characters.includes(String.fromCharCode(byte)) ? 1 : 0));

const placeholderIn: FindPlaceholder = (text) => {
  if (!text.includes(mark)) return -1;
  return text.length === markLength && text.startsWith(mark) ? Number(text.slice(mark.length)) - firstMark : undefined;
};

interface Known<Layout> extends Shape<Layout> {
  placeholders: readonly Placeholder[];
  /** The text before each placeholder, and the text after the last one. */
  between: readonly Buffer[];
}

export function createShapes<Layout>(): Shapes<Layout> {
  const known: Known<Layout>[] = [];
  let learned = 0;
  return {
    find(bytes, from) {
      for (const [place, shape] of known.entries()) {
        if (!fits(shape, bytes, from)) continue;
        // The next record is most likely of the same shape.
        if (place > 0) [known[0], known[place]] = [shape, known[0] as Known<Layout>];
        return shape;
      }
      return undefined;
    },
    learn(record, { findPlaceholders, readLayout }) {
      learned += 1;
      if (known.length >= maxShapes || learned > maxLearned || record.length > maxBytes || record.includes(mark))
        return;
      const placeholders = findPlaceholders(record.toString('latin1'));
      if (!placeholders || placeholders.length > maxPlaceholders) return;
      const ends = [0, ...placeholders.map(({ end }) => end)];
      const begins = [...placeholders.map(({ begin }) => begin), record.length];
      const between = begins.map((begin, at) => Buffer.from(record.subarray(ends[at], begin)));
      if (known.some((shape) => isSame(shape.between, between))) return;
      const marked = between.flatMap((bytes, at) => (at === 0 ? [bytes] : [placeholderMark(at - 1), bytes]));
      const layout = readLayout(Buffer.concat(marked), placeholderIn);
      if (layout === undefined) return;
      const none = { end: 0, begins: new Int32Array(placeholders.length), ends: new Int32Array(placeholders.length) };
      known.push({ layout, placeholders, between, ...none });
    },
  };
}

const isSame = (one: readonly Buffer[], other: readonly Buffer[]): boolean =>
  one.length === other.length && one.every((bytes, at) => bytes.equals(other[at] as Buffer));

const placeholderMark = (placeholder: number): Buffer => Buffer.from(`${mark}${firstMark + placeholder}`);

function fits(shape: Known<unknown>, bytes: Uint8Array, from: number): boolean {
  const { placeholders, between, begins, ends } = shape;
  let at = from;
  for (let next = 0; next < between.length; next += 1) {
    const same = between[next] as Buffer;
    for (let place = 0; place < same.length; place += 1) {
      if (bytes[at] !== same[place]) return false;
      at += 1;
    }
    const placeholder = placeholders[next];
    if (!placeholder) continue;
    const { accepts } = placeholder;
    begins[next] = at;
    while (accepts[bytes[at] as number] === 1) at += 1;
    ends[next] = at;
  }
  shape.end = at;
  return at - from <= maxBytes;
}
