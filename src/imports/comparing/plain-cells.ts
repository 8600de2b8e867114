import type { PlainSource } from '#src/imports/profiles/row-reader.rules.ts';
import type { ImportColumn } from '#src/imports/targets/target.ts';
import { measureRoom, writeCell } from './copied-cells.ts';

/** Writes rows of a file as COPY takes them, from their bytes. */
export interface PlainCells {
  /** At most so many bytes are written of a row with these cells. */
  measureRoom: (spans: Int32Array) => number;
  /** Answers the end of what was written; -1 where the row has to be read. */
  write: (row: Uint8Array, spans: Int32Array, bytes: Uint8Array, begin: number) => number;
}

const [tab, lineFeed, space, apostrophe, backslash] = [0x09, 0x0a, 0x20, 0x27, 0x5c];
const [dot, zero, nine, tilde] = [0x2e, 0x30, 0x39, 0x7e];
/** Digits before and after the point that every column of numbers takes. */
const [digits, decimals] = [15, 4];

/**
 * Takes text of ASCII without space around it and numbers without signs, as nearly all rows have them, and nothing that COPY escapes. Their
 * columns may still refuse them.
 */
export function createPlainCells(
  columns: readonly ImportColumn[],
  { sources, numericKeys }: { sources: readonly PlainSource[]; numericKeys: readonly boolean[] },
): PlainCells {
  const fields = columns.map(({ cell }, at) => {
    const { place, byDefault, required } = sources[at] as PlainSource;
    const missing = Buffer.alloc(measureRoom(byDefault));
    const isOwn = byDefault === null || cell.read(byDefault, { decimalSeparator: '.' }) === byDefault;
    return {
      place,
      isNumber: cell.type === 'numeric',
      isOther: cell.type !== 'numeric' && cell.type !== 'text',
      isTrimmed: numericKeys[at] === true,
      mayMiss: isOwn && (!required || byDefault !== null),
      missing: missing.subarray(0, writeCell(missing, 0, byDefault)),
    };
  });
  const fixed = fields.reduce((sum, { missing }) => sum + missing.length + 1, 0);
  return {
    measureRoom(spans) {
      let room = fixed;
      for (const { place } of fields)
        if (place !== -1) room += (spans[2 * place + 1] as number) - (spans[2 * place] as number);
      return room;
    },
    write(row, spans, bytes, begin) {
      let at = begin;
      for (let field = 0; field < fields.length; field += 1) {
        const { place, isNumber, isOther, isTrimmed, mayMiss, missing } = fields[field] as (typeof fields)[number];
        let from = place === -1 ? 0 : (spans[2 * place] as number);
        let to = place === -1 ? 0 : (spans[2 * place + 1] as number);
        if (from >= to) {
          if (!mayMiss) return -1;
          for (let each = 0; each < missing.length; each += 1) {
            bytes[at] = missing[each] as number;
            at += 1;
          }
        } else if (isNumber) {
          let point = to;
          for (let each = from; each < to; each += 1) {
            const byte = row[each] as number;
            if (byte >= zero && byte <= nine) continue;
            if (byte !== dot || point !== to) return -1;
            point = each;
          }
          if (point === from || point === to - 1 || point - from > digits || to - point - 1 > decimals) return -1;
          if (isTrimmed) {
            while (from < point - 1 && row[from] === zero) from += 1;
            while (to > point + 1 && row[to - 1] === zero) to -= 1;
            if (to === point + 1) to = point;
          }
          for (let each = from; each < to; each += 1) {
            bytes[at] = row[each] as number;
            at += 1;
          }
        } else {
          if (isOther || row[from] === space || row[from] === apostrophe || row[to - 1] === space) return -1;
          for (let each = from; each < to; each += 1) {
            const byte = row[each] as number;
            if (byte < space || byte > tilde || byte === backslash) return -1;
            bytes[at] = byte;
            at += 1;
          }
        }
        bytes[at] = tab;
        at += 1;
      }
      bytes[at - 1] = lineFeed;
      return at;
    },
  };
}
