import { type PassOver, passedOver, takenOver } from '#src/imports/formats/records.ts';
import type { PlainSource, ReadRow } from '#src/imports/profiles/row-reader.rules.ts';
import type { ImportColumn, StoredRecords } from '#src/imports/targets/target.ts';
import { plainNumber } from './key-filter.rules.ts';
import type { StagedText } from './staged-text.rules.ts';

/**
 * What a row is beside the record of its key: `same` changes nothing, `changed` changes it and is certainly taken, `unclear` has to be
 * compared by the database, `repeated` has a key that an earlier row had, and of the key of an `unknown` one no record is known.
 */
export type Likeness = 'same' | 'changed' | 'unclear' | 'repeated' | 'unknown';

/** Records that rows are compared with as they are read. */
export interface RecordIndex {
  /** Takes what COPY sends of them, and finds their places while it sends more; false where there is no room. */
  add: (lines: Buffer) => boolean;
  /** How many there are. */
  count: () => number;
  compare: (row: Pick<ReadRow, 'line' | 'cells'>) => Likeness;
  /**
   * Finds rows that are the same by their bytes, for a fifth of what it takes to read them. Such a row is not compared again; nor is one that
   * changes something, whose cells are then added to `changes`.
   */
  passOver: (sources: readonly PlainSource[], changes: StagedText) => PassOver;
  /** The line of the earlier row, after `compare` answered `repeated`. */
  earlierLine: () => number;
}

const [tab, lineFeed, space, apostrophe, backslash] = [0x09, 0x0a, 0x20, 0x27, 0x5c];
const [dot, zero, nine] = [0x2e, 0x30, 0x39];
/** Digits before and after the point that every column of numbers takes. */
const [digits, decimals] = [15, 4];
const [seed, prime] = [0x811c9dc5, 0x01000193];

/** There are slots at first for records of so many bytes. Most are shorter, and slots are added for them. */
const recordBytes = 128;
/** Slots for so many records, at most half of them taken. */
const slotsFor = (records: number): number => 2 ** Math.ceil(Math.log2(Math.max(1, 2 * records)));

/** Whether COPY writes the character as itself, in one byte. */
const isPlain = (code: number): boolean => code >= space && code <= 0x7e && code !== backslash;

/** The fields of a record as bytes, in a buffer each; a field that cannot be compared ends before it begins. */
interface Fields {
  of: Uint8Array[];
  begins: Int32Array;
  ends: Int32Array;
}

/**
 * Keeps records as the text that COPY sends, and finds them by a hash of their key: 20 to 40 bytes a record and 12 for the index, outside of
 * the heap, and less than a microsecond a row, where staging it and joining it take ten. What is compared is the text, so that a row may be the
 * same and not found to be; never the other way round. Keys with characters that COPY escapes are found nowhere.
 */
export function createRecordIndex(
  columns: readonly ImportColumn[],
  { key, stored, maxBytes }: { key: readonly string[]; stored: StoredRecords; maxBytes: number },
): RecordIndex {
  const placeOf = (name: string): number => columns.findIndex((column) => column.name === name);
  const { length: keys } = key;
  const { values } = stored;
  const places = [...key, ...values.map(({ name }) => name)].map(placeOf);
  const isNumber = places.map((place) => columns[place]?.cell.type === 'numeric');
  const given: Fields = {
    of: [],
    begins: new Int32Array(places.length),
    ends: new Int32Array(places.length),
  };
  const bytes = Buffer.allocUnsafeSlow(maxBytes);
  let length = 0;
  // Where the record of a slot begins, plus one, and the line of the row that named it; 0 for none.
  let begins = new Uint32Array(slotsFor(maxBytes / recordBytes));
  let lines = new Uint32Array(begins.length);
  let earlier = 0;
  let records = 0;
  /** Where the first record begins that has no slot yet. */
  let placedTo = 0;

  const slotOf = (hash: number): number => (hash ^ (hash >>> 15)) & (begins.length - 1);
  /** The place after the field of the record that begins here, where it is the given one; otherwise -1. */
  const passed = (field: number, from: number): number => {
    const own = given.of[field] as Uint8Array;
    const end = given.ends[field] as number;
    let at = from;
    for (let place = given.begins[field] as number; place < end; place += 1) {
      if (bytes[at] !== own[place]) return -1;
      at += 1;
    }
    const isWhole = end >= (given.begins[field] as number) && (bytes[at] === tab || bytes[at] === lineFeed);
    return isWhole ? at + 1 : -1;
  };
  /** The slot of the record of the given key, and where its values begin; -1 for none. */
  const found = { slot: -1, values: 0 };
  const find = (): boolean => {
    let hash = seed;
    for (let field = 0; field < keys; field += 1) {
      const own = given.of[field] as Uint8Array;
      const end = given.ends[field] as number;
      for (let at = given.begins[field] as number; at < end; at += 1)
        hash = Math.imul(hash ^ (own[at] as number), prime);
      hash = Math.imul(hash ^ tab, prime);
    }
    for (let slot = slotOf(hash); begins[slot] !== 0; slot = (slot + 1) & (begins.length - 1)) {
      let at = (begins[slot] as number) - 1;
      for (let field = 0; field < keys && at !== -1; field += 1) at = passed(field, at);
      if (at === -1) continue;
      [found.slot, found.values] = [slot, at];
      return true;
    }
    return false;
  };
  const likenessOfValues = (): Likeness => {
    let isSame = true;
    let at = found.values;
    for (let field = keys; field < places.length; field += 1) {
      const { mayDiffer, mayLack } = values[field - keys] as StoredRecords['values'][number];
      const end = passed(field, at);
      const isLacking = mayLack === true && given.begins[field] === given.ends[field];
      if (end === -1 && !isLacking) {
        if (!mayDiffer) return 'unclear';
        isSame = false;
      }
      if (end !== -1) at = end;
      else {
        while (at < length && bytes[at] !== tab && bytes[at] !== lineFeed) at += 1;
        at += 1;
      }
    }
    return isSame ? 'same' : 'changed';
  };

  /** Gives a cell of a row without what is read off it: the ends of numbers that are zeros. False for one that has to be read. */
  const giveCell = (field: number, row: Uint8Array, from: number, to: number): boolean => {
    let [begin, end, point] = [from, to, to];
    if (row[from] === space || row[from] === apostrophe || row[to - 1] === space) return false;
    for (let at = from; at < to; at += 1) {
      const byte = row[at] as number;
      if (!isPlain(byte)) return false;
      if (!isNumber[field] || (byte >= zero && byte <= nine)) continue;
      if (byte !== dot || point !== to) return false;
      point = at;
    }
    if (isNumber[field]) {
      if (point === from || point === to - 1 || point - from > digits || to - point - 1 > decimals) return false;
      while (begin < point - 1 && row[begin] === zero) begin += 1;
      while (end > point + 1 && row[end - 1] === zero) end -= 1;
      if (end === point + 1) end = point;
    }
    given.of[field] = row;
    given.begins[field] = begin;
    given.ends[field] = end;
    return true;
  };

  let written = Buffer.alloc(1_024);
  /** Gives the cells as bytes; false for a key that is found nowhere. */
  const give = (cells: ReadRow['cells']): boolean => {
    let at = 0;
    for (let field = 0; field < places.length; field += 1) {
      const cell = cells[places[field] as number] ?? '';
      const text = isNumber[field] && cell !== '' ? plainNumber(cell) : cell;
      if (at + text.length > written.length) written = Buffer.concat([written], 2 * (at + text.length));
      given.begins[field] = at;
      for (let place = 0; place < text.length; place += 1) {
        const code = text.charCodeAt(place);
        if (!isPlain(code)) {
          if (field < keys) return false;
          at = (given.begins[field] as number) - 1;
          break;
        }
        written[at] = code;
        at += 1;
      }
      given.ends[field] = at;
      if (at < (given.begins[field] as number)) at += 1;
    }
    given.of.fill(written);
    return true;
  };

  /** Gives a slot to each record that has come whole; all of them anew where half of the slots are taken. */
  const giveSlots = (): void => {
    const last = bytes.subarray(0, length).lastIndexOf(lineFeed) + 1;
    for (let begin = placedTo; begin < last;) {
      if (2 * records >= begins.length) {
        begins = new Uint32Array(2 * begins.length);
        lines = new Uint32Array(begins.length);
        [begin, records] = [0, 0];
      }
      let hash = seed;
      let at = begin;
      for (let fields = 0; fields < keys; at += 1) {
        const byte = bytes[at] as number;
        hash = Math.imul(hash ^ byte, prime);
        if (byte === tab) fields += 1;
      }
      let slot = slotOf(hash);
      while (begins[slot] !== 0) slot = (slot + 1) & (begins.length - 1);
      begins[slot] = begin + 1;
      records += 1;
      while (bytes[at] !== lineFeed) at += 1;
      begin = at + 1;
    }
    placedTo = last;
  };

  given.of = places.map(() => written);
  return {
    add(chunk) {
      if (length + chunk.length > bytes.length) return false;
      chunk.copy(bytes, length);
      length += chunk.length;
      giveSlots();
      return true;
    },
    count: () => records,
    compare({ line, cells }) {
      if (!give(cells) || !find()) return 'unknown';
      earlier = lines[found.slot] as number;
      if (earlier !== 0) return 'repeated';
      lines[found.slot] = line;
      return likenessOfValues();
    },
    passOver(sources, changes) {
      const fields = places.map((column, field) => {
        const { place, byDefault, required } = sources[column] as PlainSource;
        const { cell } = columns[column] as ImportColumn;
        const differing = values[field - keys]?.mayDiffer === true ? cell : undefined;
        return { place, required, differing, text: Buffer.from(byDefault ?? '') };
      });
      // What COPY would escape is not compared as it is.
      if (!fields.every(({ text }) => text.every(isPlain))) return () => undefined;
      const inOrder = columns.map((_, column) => places.indexOf(column));
      // As the row has them.
      const froms = new Int32Array(fields.length);
      const tos = new Int32Array(fields.length);
      const giveRow = (row: Buffer, spans: Int32Array): boolean => {
        for (let field = 0; field < fields.length; field += 1) {
          const { place, required, text } = fields[field] as (typeof fields)[number];
          const from = place === -1 ? -1 : (spans[2 * place] as number);
          const to = place === -1 ? -1 : (spans[2 * place + 1] as number);
          if (from < to) {
            if (!giveCell(field, row, from, to)) return false;
            froms[field] = from;
            tos[field] = to;
          } else {
            if (required && text.length === 0) return false;
            given.of[field] = text;
            froms[field] = given.begins[field] = 0;
            tos[field] = given.ends[field] = text.length;
          }
        }
        return true;
      };
      /** Whether the values that may differ are such as their columns take. */
      const isGood = (): boolean => {
        for (let field = keys; field < fields.length; field += 1) {
          const { differing } = fields[field] as (typeof fields)[number];
          if (!differing || froms[field] === tos[field]) continue;
          const text = (given.of[field] as Buffer).toString('latin1', froms[field], tos[field]);
          if (differing.read(text, { decimalSeparator: '.' }) !== text) return false;
        }
        return true;
      };
      return (row, spans, line, n) => {
        if (!giveRow(row, spans) || !find() || lines[found.slot] !== 0) return undefined;
        const likeness = likenessOfValues();
        const isTaken = likeness === 'changed' && isGood();
        if (likeness !== 'same' && !isTaken) return undefined;
        lines[found.slot] = line;
        if (!isTaken) return passedOver;
        changes.beginRow(n, line);
        for (const field of inOrder)
          changes.addCell(given.of[field] as Uint8Array, froms[field] as number, tos[field] as number);
        changes.endRow();
        return takenOver;
      };
    },
    earlierLine: () => earlier,
  };
}
