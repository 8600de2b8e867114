import { FileFault, type WantedColumn } from '#src/imports/formats/records/records.ts';
import { withoutApostrophe } from './formulas.ts';

/** A cell as it was before its formula was made harmless. */
export const textAt = (cells: readonly string[], place: number): string | undefined => {
  const text = cells[place];
  return text === undefined ? undefined : withoutApostrophe(text);
};

/**
 * The positions of the wanted columns; -1 for an optional column that the file lacks. Names that look the same are the same; a column
 * that nothing wants may stand there twice.
 */
export function findPlaces(header: readonly string[], wanted: readonly WantedColumn[]): number[] {
  const named = header.map((name) => withoutApostrophe(name.trim()));
  const exact = placesByName(named);
  const alike = placesByName(named.map(cleanName));
  const found = wanted.map(({ name }) => exact.get(name) ?? alike.get(cleanName(name)) ?? []);
  const twice = wanted.findIndex((_, at) => (found[at]?.length ?? 0) > 1);
  if (twice !== -1) throw new FileFault(`The header names the column "${shown(wanted[twice]?.name ?? '')}" twice.`);
  const missing = wanted.filter(({ required }, at) => required && found[at]?.length === 0).map(({ name }) => name);
  if (missing.length > 0) throw lacks(missing, named);
  return found.map(([place = -1]) => place);
}

/** The positions of columns that are named by their numbers. */
export const placesOfNumbers = (wanted: readonly WantedColumn[]): number[] =>
  wanted.map(({ name }) => Number(name) - 1);

function placesByName(names: readonly string[]): Map<string, number[]> {
  const places = new Map<string, number[]>();
  for (const [place, name] of names.entries()) {
    const before = places.get(name);
    if (before) before.push(place);
    else if (name !== '') places.set(name, [place]);
  }
  return places;
}

/**
 * A name as people see it: macOS writes "é" as two characters, spreadsheets break lines within a name, and web pages leave spaces that do
 * not break and characters without width.
 */
const cleanName = (name: string): string =>
  name
    .normalize('NFC')
    .replace(/\p{Cf}/gu, '')
    .replace(/\s+/g, ' ')
    .trim();

/** The fault of a header that lacks these columns; it points out names that differ in capitals or punctuation alone. */
function lacks(missing: readonly string[], named: readonly string[]): FileFault {
  if (named.some((name) => name.includes('\0'))) {
    const order = named[0]?.startsWith('\0') ? 'utf-16be' : 'utf-16le';
    return new FileFault(`The header holds NULs, as text in UTF-16 does. Set "encoding" to ${order} in the profile.`);
  }
  const keepLetters = (name: string): string =>
    name
      .normalize('NFKD')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, '');
  const nearly = missing.flatMap((name) => {
    const near = named.find((each) => each !== '' && keepLetters(each) === keepLetters(name));
    return near === undefined ? [] : [`"${shown(near)}" differs from "${name}": map the column as the file writes it.`];
  });
  const names = missing.map((name) => `"${name}"`).join(', ');
  const all = `The header lacks ${names}, which the profile maps. It has ${shown(named.join(', '))}.`;
  return new FileFault([all, ...nearly.slice(0, 3)].join(' '));
}

const shown = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}…` : text);
