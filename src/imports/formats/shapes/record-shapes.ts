/** A stretch of a record that may hold other bytes in another record of the same shape. */
export interface Hole {
  begin: number;
  end: number;
  /** The bytes that it may hold have a 1; the byte that follows it has none. */
  takes: Uint8Array;
  /** What its bytes have to be beside that. */
  isGood?: (bytes: Uint8Array, begin: number, end: number) => boolean;
}

/** How a record is written: the same bytes each time, but for its holes. */
export interface Shape<Meaning> {
  /** What the holes are. */
  meaning: Meaning;
  /** Where the record that was found ends, and where its holes begin and end. */
  end: number;
  begins: Int32Array;
  ends: Int32Array;
}

/** Which hole a text is of: -1 for a text without holes, undefined for one that has more than a hole. */
export type HoleOf = (text: string) => number | undefined;

export interface Learning<Meaning> {
  /** The holes of what was parsed as a record, with what stands before it; undefined where it is not plain. Each character is a byte. */
  holesOf: (record: string) => readonly Hole[] | undefined;
  /** What the holes are, from the record with a mark in each; undefined where that cannot be told. */
  meaningOf: (marked: Buffer, holeOf: HoleOf) => Meaning | undefined;
}

/** The shapes of the records of a file. */
export interface Shapes<Meaning> {
  /** The shape of the record that begins there, where it is known, and the record is whole and not too long; what it says is valid until the next call. */
  find: (bytes: Uint8Array, from: number) => Shape<Meaning> | undefined;
  /** Learns the shape of a record, unless it has learned from many. */
  learn: (record: Buffer, by: Learning<Meaning>) => void;
}

/** Exports have one shape, and a few more where values may be missing. */
const maxShapes = 8;
const maxHoles = 256;
/** Bytes of a record that is told by its shape: longer ones are parsed, and what is parsed is bounded. */
const maxBytes = 32 * 1024;
/** Records to learn from: some have a known shape, and characters that have to be parsed. */
const maxLearned = 64;
/** What holes are marked with: digits, which are text and numbers in every format. */
const mark = '730284619503';
const firstMark = 100;
const markLength = mark.length + 3;

/** Bytes of characters that are not controls, except some; of ASCII alone, unless the bytes are known to be UTF-8. */
export const textBytes = (except: string, { isUtf8 }: { isUtf8: boolean }): Uint8Array =>
  Uint8Array.from({ length: 256 }, (_, byte) => {
    if (byte > 0x7e) return isUtf8 && byte > 0x7f ? 1 : 0;
    return byte >= 0x20 && !except.includes(String.fromCharCode(byte)) ? 1 : 0;
  });

/** The bytes of these characters. */
export const onlyBytes = (characters: string): Uint8Array =>
  Uint8Array.from({ length: 256 }, (_, byte) => (characters.includes(String.fromCharCode(byte)) ? 1 : 0));

const holeOf: HoleOf = (text) => {
  if (!text.includes(mark)) return -1;
  return text.length === markLength && text.startsWith(mark) ? Number(text.slice(mark.length)) - firstMark : undefined;
};

interface Known<Meaning> extends Shape<Meaning> {
  holes: readonly Hole[];
  /** What stands before each hole, and behind the last. */
  between: readonly Buffer[];
}

export function createShapes<Meaning>(): Shapes<Meaning> {
  const known: Known<Meaning>[] = [];
  let learned = 0;
  return {
    find(bytes, from) {
      for (const [place, shape] of known.entries()) {
        if (!fits(shape, bytes, from)) continue;
        // The next record is most likely of the same shape.
        if (place > 0) [known[0], known[place]] = [shape, known[0] as Known<Meaning>];
        return shape;
      }
      return undefined;
    },
    learn(record, { holesOf, meaningOf }) {
      learned += 1;
      if (known.length >= maxShapes || learned > maxLearned || record.length > maxBytes || record.includes(mark))
        return;
      const holes = holesOf(record.toString('latin1'));
      if (!holes || holes.length > maxHoles) return;
      const ends = [0, ...holes.map(({ end }) => end)];
      const begins = [...holes.map(({ begin }) => begin), record.length];
      const between = begins.map((begin, at) => Buffer.from(record.subarray(ends[at], begin)));
      if (known.some((shape) => isSame(shape.between, between))) return;
      const marked = between.flatMap((bytes, at) => (at === 0 ? [bytes] : [markOf(at - 1), bytes]));
      const meaning = meaningOf(Buffer.concat(marked), holeOf);
      if (meaning === undefined) return;
      const none = { end: 0, begins: new Int32Array(holes.length), ends: new Int32Array(holes.length) };
      known.push({ meaning, holes, between, ...none });
    },
  };
}

const isSame = (one: readonly Buffer[], other: readonly Buffer[]): boolean =>
  one.length === other.length && one.every((bytes, at) => bytes.equals(other[at] as Buffer));

const markOf = (hole: number): Buffer => Buffer.from(`${mark}${firstMark + hole}`);

function fits(shape: Known<unknown>, bytes: Uint8Array, from: number): boolean {
  const { holes, between, begins, ends } = shape;
  let at = from;
  for (let next = 0; next < between.length; next += 1) {
    const same = between[next] as Buffer;
    for (let place = 0; place < same.length; place += 1) {
      if (bytes[at] !== same[place]) return false;
      at += 1;
    }
    const hole = holes[next];
    if (!hole) continue;
    const { takes, isGood } = hole;
    begins[next] = at;
    while (takes[bytes[at] as number] === 1) at += 1;
    ends[next] = at;
    if (isGood && !isGood(bytes, begins[next] as number, at)) return false;
  }
  shape.end = at;
  return at - from <= maxBytes;
}
