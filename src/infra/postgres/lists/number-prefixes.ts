/** Inclusive. */
export type NumberRange = readonly [low: number, high: number];

/** Numbers stay below this. */
const numberBound = 10 ** 15;

/** The numbers whose digits begin with the text, the shortest first; none if it is no number. */
export function rangesOfPrefix(text: string): NumberRange[] {
  const digits = /^#?([1-9]\d{0,14})$/.exec(text)?.[1];
  if (digits === undefined) return [];
  const ranges: NumberRange[] = [];
  for (let [low, span] = [Number(digits), 1]; low < numberBound; [low, span] = [low * 10, span * 10])
    ranges.push([low, low + span - 1]);
  return ranges;
}
