/** Where the wanted cells of a row of CSV without quotes begin and end; undefined for a row with more or fewer cells than the header. */
export type CellSpans = (bytes: Uint8Array, begin: number, end: number) => Int32Array | undefined;

/** Of a file whose header has so many columns, with those that are wanted at `places`. What is answered is valid until the next row. */
export function spansOf({
  places,
  columns,
  delimiter,
}: {
  places: readonly number[];
  columns: number;
  delimiter: string;
}): CellSpans | undefined {
  const separator = delimiter.charCodeAt(0);
  if (delimiter.length !== 1 || separator > 0x7e) return undefined;
  const begins = new Int32Array(columns);
  const ends = new Int32Array(columns);
  const spans = new Int32Array(2 * places.length).fill(-1);
  return (bytes, begin, end) => {
    let cell = 0;
    begins[0] = begin;
    for (let at = begin; at < end; at += 1) {
      if (bytes[at] !== separator) continue;
      ends[cell] = at;
      cell += 1;
      if (cell === columns) return undefined;
      begins[cell] = at + 1;
    }
    ends[cell] = end;
    if (cell + 1 !== columns) return undefined;
    for (let wanted = 0; wanted < places.length; wanted += 1) {
      const place = places[wanted] as number;
      if (place === -1) continue;
      spans[2 * wanted] = begins[place] as number;
      spans[2 * wanted + 1] = ends[place] as number;
    }
    return spans;
  };
}
