import { FileFault } from './file-fault.ts';
import { withoutApostrophe } from './formulas.ts';
import type { WantedColumn } from './records.ts';

/** A cell as it was before its formula was made harmless. */
export const textAt = (cells: readonly string[], place: number): string | undefined => {
  const text = cells[place];
  return text === undefined ? undefined : withoutApostrophe(text);
};

/** The positions of the wanted columns; -1 for an optional column that the file lacks. */
export function placesOf(header: readonly string[], wanted: readonly WantedColumn[]): number[] {
  const named = header.map((name) => withoutApostrophe(name.trim()));
  const places = new Map<string, number>();
  for (const [place, name] of named.entries()) {
    if (name !== '' && places.has(name)) throw new FileFault(`The header names the column "${shown(name)}" twice.`);
    places.set(name, place);
  }
  const missing = wanted.filter(({ name, required }) => required && !places.has(name));
  if (missing.length > 0) {
    if (header.some((name) => name.includes('\0')))
      throw new FileFault(
        'The header holds NULs, as text in UTF-16 does. Name the encoding of the file in the profile.',
      );
    const names = missing.map(({ name }) => `"${name}"`).join(', ');
    throw new FileFault(`The header lacks ${names}, which the profile maps. It has ${shown(named.join(', '))}.`);
  }
  return wanted.map(({ name }) => places.get(name) ?? -1);
}

/** The positions of columns that are named by their numbers. */
export const placesOfNumbers = (wanted: readonly WantedColumn[]): number[] =>
  wanted.map(({ name }) => Number(name) - 1);

const shown = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}…` : text);
