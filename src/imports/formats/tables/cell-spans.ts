/** Where parts of a record begin and end, by their place in it. */
interface Bounds {
  begins: Int32Array;
  ends: Int32Array;
}

/** Writes into `spans`, by turns, where each of the parts at `places` begins and ends; place -1 leaves them as they are. */
export function spansAt(
  { begins, ends }: Bounds,
  { places, spans }: { places: Int32Array; spans: Int32Array },
): Int32Array {
  for (let at = 0; at < places.length; at += 1) {
    const place = places[at] as number;
    if (place === -1) continue;
    spans[2 * at] = begins[place] as number;
    spans[2 * at + 1] = ends[place] as number;
  }
  return spans;
}
