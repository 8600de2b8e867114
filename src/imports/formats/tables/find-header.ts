import { FileFault, type WantedColumn } from '#src/imports/formats/records/records.ts';
import { findPlaces, placesOfNumbers } from './header.ts';

/** Rows after the first in which a header is looked for, to say where it is. */
const maxRows = 20;
/** Characters that usually separate cells. */
export const delimiters = [',', ';', '\t', '|'];

/** Looks for the wanted columns in the first row. If they are not there, it looks at a few more rows, so that the fault says where they are. */
export interface HeaderSearch {
  /** Answers the places of the wanted columns, by the first row; undefined for rows after one that lacks them. Throws FileFault. */
  look: (cells: readonly string[], line: number) => number[] | undefined;
  /** The fault of the first row, once there has been one. */
  fault: () => FileFault | undefined;
}

/** `delimiter`: what separates the cells of CSV; undefined for workbooks. */
export function findHeader(wanted: readonly WantedColumn[], delimiter?: string): HeaderSearch {
  let fault: FileFault | undefined;
  let rows = 0;
  const isFound = (cells: readonly string[]): boolean => {
    try {
      findPlaces(cells, wanted);
      return true;
    } catch {
      return false;
    }
  };
  /** The delimiter by which the row has the wanted columns. */
  const otherDelimiter = (cells: readonly string[]): string | undefined =>
    delimiter === undefined
      ? undefined
      : delimiters.find((other) => other !== delimiter && isFound(cellsBy(other, cells.join(delimiter))));
  const hint = (cells: readonly string[], line: number): string | undefined => {
    const other = otherDelimiter(cells);
    if (other === undefined && !isFound(cells)) return undefined;
    const settings = [
      ...(fault ? [`"skip_lines" to ${line - 1}`] : []),
      ...(other === undefined ? [] : [`"delimiter" to ${JSON.stringify(other)}`]),
    ];
    return `Line ${line} has them: set ${settings.join(' and ')} in the profile.`;
  };
  const withHint = (of: FileFault, more: string): FileFault => new FileFault(`${of.message} ${more}`);
  return {
    look(cells, line) {
      rows += 1;
      if (!fault) {
        try {
          return findPlaces(cells, wanted);
        } catch (error) {
          if (!(error instanceof FileFault)) throw error;
          const found = hint(cells, line);
          if (found !== undefined) throw withHint(error, found);
          fault = error;
          return undefined;
        }
      }
      const found = hint(cells, line);
      if (found !== undefined) throw withHint(fault, found);
      if (rows > maxRows) throw fault;
      return undefined;
    },
    fault: () => fault,
  };
}

/** The places of columns that are named by their numbers. Throws FileFault where the first row has fewer cells. */
export function placesIn(cells: readonly string[], wanted: readonly WantedColumn[], delimiter: string): number[] {
  const places = placesOfNumbers(wanted);
  const last = Math.max(...places);
  if (last < cells.length) return places;
  const row = cells.join(delimiter);
  const other = delimiters.find((each) => each !== delimiter && cellsBy(each, row).length > last);
  const hint =
    other === undefined
      ? ''
      : ` It has more by another one: set "delimiter" to ${JSON.stringify(other)} in the profile.`;
  throw new FileFault(`The first row has ${cells.length} cells, and the profile maps column ${last + 1}.${hint}`);
}

/** The cells of a row that was taken for one of another delimiter. */
const cellsBy = (delimiter: string, row: string): string[] =>
  row.split(delimiter).map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'));
