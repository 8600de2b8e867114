import { spansAt } from '#src/imports/formats/tables/cell-spans.ts';

/** Finds the positions of the cells in rows of CSV without quotes. */
export interface CellSpans {
  /** Scans the row that begins here, which a line break ends, and returns its end. */
  pass: (bytes: Uint8Array, begin: number) => number;
  /** Where the wanted cells of that row begin and end; undefined for one with more or fewer cells than the header. Valid until the next row. */
  wanted: () => Int32Array | undefined;
}

/** `columns`: how many the header has; `places`: those that are wanted; `lineEnd`: the byte that ends rows. Undefined if the delimiter is not one ASCII character. */
export function findSpans({
  places,
  columns,
  delimiter,
  lineEnd,
}: {
  places: readonly number[];
  columns: number;
  delimiter: string;
  lineEnd: number;
}): CellSpans | undefined {
  const separator = delimiter.charCodeAt(0);
  if (delimiter.length !== 1 || separator > 0x7e) return undefined;
  const begins = new Int32Array(columns + 1);
  const ends = new Int32Array(columns + 1);
  const wantedPlaces = Int32Array.from(places);
  const spans = new Int32Array(2 * places.length).fill(-1);
  let cells = 0;
  return {
    pass(bytes, begin) {
      let cell = 0;
      let at = begin;
      begins[0] = begin;
      for (let byte = bytes[at]; byte !== lineEnd; byte = bytes[at]) {
        if (byte === separator && cell < columns) {
          ends[cell] = at;
          cell += 1;
          begins[cell] = at + 1;
        }
        at += 1;
      }
      ends[cell] = at;
      cells = cell + 1;
      return at;
    },
    wanted() {
      if (cells !== columns) return undefined;
      return spansAt({ begins, ends }, { places: wantedPlaces, spans });
    },
  };
}
