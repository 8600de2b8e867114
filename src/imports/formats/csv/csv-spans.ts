import { spansAt } from '#src/imports/formats/tables/cell-spans.ts';

/** Finds where the cells of rows of CSV without quotes are. */
export interface CellSpans {
  /** Goes through the row that begins here, which a line break ends, and answers its end. */
  pass: (bytes: Uint8Array, begin: number) => number;
  /** Where the wanted cells of that row begin and end; undefined for one with more or fewer cells than the header. Valid until the next row. */
  wanted: () => Int32Array | undefined;
}

/** Of a file whose header has so many columns, with those that are wanted at `places`, and whose rows this byte ends. */
export function spansOf({
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
