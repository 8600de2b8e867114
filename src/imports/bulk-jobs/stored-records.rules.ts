import type { ReadRow } from '#src/imports/profiles/row-reader.rules.ts';
import type { ImportColumn, StoredRecords } from '#src/imports/targets/target.ts';
import { plainNumber } from './key-filter.rules.ts';

/**
 * What a row is beside the record of its key: `same` changes nothing, `changed` changes it and is certainly taken, `unclear` has to be
 * compared by the database, `repeated` has a key that an earlier row had, and of the key of an `unknown` one no record is known.
 */
export type Likeness = 'same' | 'changed' | 'unclear' | 'repeated' | 'unknown';

/** Records that rows are compared with as they are read. */
export interface RecordIndex {
  /** Takes what COPY sends of them; false where there is no room. */
  add: (lines: Buffer) => boolean;
  /** To be called when all are there; answers how many. */
  build: () => number;
  compare: (row: Pick<ReadRow, 'line' | 'cells'>) => Likeness;
  /** The line of the earlier row, after `compare` answered `repeated`. */
  earlierLine: () => number;
}

const [tab, lineFeed, backslash] = [0x09, 0x0a, 0x5c];
const [seed, prime] = [0x811c9dc5, 0x01000193];

/** Whether COPY writes the character as itself, in one byte. */
const isPlain = (code: number): boolean => code >= 0x20 && code <= 0x7e && code !== backslash;

/**
 * Keeps records as the text that COPY sends, and finds them by a hash of their key: 30 bytes a record, outside of the heap, and half a
 * microsecond a row, where staging it and joining it take ten. What is compared is the text, so that a row may be the same and not found
 * to be; never the other way round. Rows with characters that COPY escapes are found nowhere.
 */
export function createRecordIndex(
  columns: readonly ImportColumn[],
  { key, stored, maxBytes }: { key: readonly string[]; stored: StoredRecords; maxBytes: number },
): RecordIndex {
  const placeOf = (name: string): number => columns.findIndex((column) => column.name === name);
  const keyPlaces = key.map(placeOf);
  const isNumber = keyPlaces.map((place) => columns[place]?.cell.type === 'numeric');
  const values = stored.values.map((value) => ({ ...value, place: placeOf(value.name) }));
  const bytes = Buffer.allocUnsafeSlow(maxBytes);
  let length = 0;
  // Where the record of a slot begins, plus one, and the line of the row that named it; 0 for none.
  let begins = new Uint32Array(1);
  let lines = new Uint32Array(1);
  let earlier = 0;

  const keyCell = (cells: ReadRow['cells'], at: number): string => {
    const cell = cells[keyPlaces[at] as number] ?? '';
    return isNumber[at] ? plainNumber(cell) : cell;
  };
  const slotOf = (hash: number): number => (hash ^ (hash >>> 15)) & (begins.length - 1);
  const endOfField = (from: number): number => {
    let at = from;
    while (at < length && bytes[at] !== tab && bytes[at] !== lineFeed) at += 1;
    return at + 1;
  };
  /** The place after the field that begins here, where it is this text; otherwise -1. */
  const passed = (from: number, text: string): number => {
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (bytes[from + at] !== code || !isPlain(code)) return -1;
    }
    const end = from + text.length;
    return bytes[end] === tab || bytes[end] === lineFeed ? end + 1 : -1;
  };
  const passedKey = (begin: number, cells: ReadRow['cells']): number => {
    let at = begin;
    for (let field = 0; field < keyPlaces.length && at !== -1; field += 1) at = passed(at, keyCell(cells, field));
    return at;
  };
  const likenessOf = (begin: number, cells: ReadRow['cells']): Likeness => {
    let isSame = true;
    let at = begin;
    for (const { place, mayDiffer, mayLack } of values) {
      const cell = cells[place] ?? null;
      const end = passed(at, cell ?? '');
      if (end === -1 && (cell !== null || !mayLack)) {
        if (!mayDiffer) return 'unclear';
        isSame = false;
      }
      at = end === -1 ? endOfField(at) : end;
    }
    return isSame ? 'same' : 'changed';
  };

  return {
    add(chunk) {
      if (length + chunk.length > bytes.length) return false;
      chunk.copy(bytes, length);
      length += chunk.length;
      return true;
    },
    build() {
      let records = 0;
      for (let at = 0; at < length; at += 1) if (bytes[at] === lineFeed) records += 1;
      begins = new Uint32Array(2 ** Math.ceil(Math.log2(2 * records + 2)));
      lines = new Uint32Array(begins.length);
      for (let begin = 0; begin < length;) {
        let hash = seed;
        let at = begin;
        for (let fields = 0; fields < keyPlaces.length && at < length; at += 1) {
          const byte = bytes[at] as number;
          hash = Math.imul(hash ^ byte, prime);
          if (byte === tab) fields += 1;
        }
        let slot = slotOf(hash);
        while (begins[slot] !== 0) slot = (slot + 1) & (begins.length - 1);
        begins[slot] = begin + 1;
        while (at < length && bytes[at] !== lineFeed) at += 1;
        begin = at + 1;
      }
      return records;
    },
    compare({ line, cells }) {
      let hash = seed;
      for (let field = 0; field < keyPlaces.length; field += 1) {
        const text = keyCell(cells, field);
        for (let at = 0; at < text.length; at += 1) {
          const code = text.charCodeAt(at);
          if (!isPlain(code)) return 'unknown';
          hash = Math.imul(hash ^ code, prime);
        }
        hash = Math.imul(hash ^ tab, prime);
      }
      for (let slot = slotOf(hash); begins[slot] !== 0; slot = (slot + 1) & (begins.length - 1)) {
        const at = passedKey((begins[slot] as number) - 1, cells);
        if (at === -1) continue;
        earlier = lines[slot] as number;
        if (earlier !== 0) return 'repeated';
        lines[slot] = line;
        return likenessOf(at, cells);
      }
      return 'unknown';
    },
    earlierLine: () => earlier,
  };
}
