import type { ImportColumn } from '#src/imports/targets/target.ts';

const slots = 2 ** 21;

/** Tells whether an earlier row may have named the same record, by the cells of their keys. */
export interface KeyFilter {
  /** False is certain. True is wrong once in thousands of files. */
  mayRepeat(cells: readonly (string | null)[]): boolean;
}

/**
 * Tells files without repeated keys, which nearly all are, from those that the database has to look through: it takes 8 MiB for a million
 * keys, and less time than the database needs to group them. Keeps 32 bits of each key in a table that another hash leads into.
 */
export function createKeyFilter(columns: readonly ImportColumn[], key: readonly string[]): KeyFilter {
  const places = key.map((name) => columns.findIndex((column) => column.name === name));
  const isNumber = places.map((place) => columns[place]?.cell.type === 'numeric');
  const table = new Uint32Array(slots);
  let kept = 0;
  return {
    mayRepeat(cells) {
      if (kept > slots / 2) return true;
      if (cells[places[0] as number] === null) return false;
      let first = 0x811c9dc5;
      let second = 0x9747b28c;
      for (let at = 0; at < places.length; at += 1) {
        const cell = cells[places[at] as number];
        const text = cell === null || cell === undefined ? '\0' : isNumber[at] ? plainNumber(cell) : cell;
        for (let index = 0; index < text.length; index += 1) {
          const code = text.charCodeAt(index);
          first = Math.imul(first ^ code, 0x01000193);
          second = Math.imul(second ^ code, 0x5bd1e995);
          second ^= second >>> 15;
        }
        // Where one part ends, so that "a" and "bc" are not "ab" and "c".
        first = Math.imul(first ^ 0x1f, 0x01000193);
        second = Math.imul(second ^ 0x1f, 0x5bd1e995);
      }
      const mark = (second ^ (second >>> 13)) >>> 0 || 1;
      for (let slot = (first ^ (first >>> 15)) & (slots - 1); ; slot = (slot + 1) & (slots - 1)) {
        if (table[slot] === mark) return true;
        if (table[slot] !== 0) continue;
        table[slot] = mark;
        kept += 1;
        return false;
      }
    },
  };
}

/** Equal numbers as equal text: 007.50 is 7.5. */
export function plainNumber(text: string): string {
  if (/^[1-9]\d*$/.test(text)) return text;
  const plain = text.replace(/^(-?)0+(?=\d)/, '$1').replace(/(\.\d*?)0+$/, '$1');
  const whole = plain.endsWith('.') ? plain.slice(0, -1) : plain;
  return whole === '-0' ? '0' : whole;
}
