/**
 * The names that are spelled almost like a known one: in another case, with other separators, or with a letter or two changed. Other
 * programs have variables of their own, and short names resemble each other (`HOME` and `HOST`), so the shorter the name, the closer it
 * must be.
 */
export function findMisspelled(names: readonly string[], known: readonly string[]): { name: string; meant: string }[] {
  const candidates = names.filter((name) => !known.includes(name) && name.length <= maxLength);
  return candidates.flatMap((name) => {
    const [closest] = known
      .map((meant) => ({ name, meant, distance: editDistance(plain(name), plain(meant)) }))
      .filter(({ meant, distance }) => distance <= maxDistance(meant))
      .toSorted((one, other) => one.distance - other.distance);
    return closest ? [{ name, meant: closest.meant }] : [];
  });
}

const maxLength = 64;
const maxDistance = ({ length }: string): number => (length >= 12 ? 2 : length >= 8 ? 1 : 0);
const plain = (name: string): string => name.toUpperCase().replaceAll(/[_.-]/g, '');

/** Letters to insert, remove, replace or swap with their neighbour (optimal string alignment). */
function editDistance(one: string, other: string): number {
  let before: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const cost = one[i - 1] === other[j - 1] ? 0 : 1;
      const isSwapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      row[j] = Math.min(
        at(row, j - 1) + 1,
        at(last, j) + 1,
        at(last, j - 1) + cost,
        isSwapped ? at(before, j - 2) + 1 : Infinity,
      );
    }
    [before, last] = [last, row];
  }
  return at(last, other.length);
}

const at = (row: readonly number[], index: number): number => row[index] ?? Infinity;
