import { spansAt } from '#src/imports/formats/tables/cell-spans.ts';
import type { AttributePlaceholder } from './row-placeholders.ts';
import { type FindPlaceholder, onlyBytes, type Shape } from './row-shapes.ts';
import { createSheetRows, type SheetCell } from './sheet-rows.ts';
import { localName } from './xlsx-parts.ts';
import { shownDigits } from './xlsx-values.ts';

/** The cells of rows of a shape. */
export interface RowShape {
  /** The placeholder of the row's number; -1 where it has none. */
  line: number;
  /** The cells in their order, without text, with the placeholder of each; -1 for none. */
  cells: readonly (SheetCell & { placeholder: number })[];
  /** The wanted cells; undefined where one is not what the sheet says in its place. */
  wanted: WantedCells | undefined;
}

interface WantedCells {
  placeholders: Int32Array;
  spans: Int32Array;
  isNumber: readonly boolean[];
}

const digits = onlyBytes('0123456789');
const plainNumber = onlyBytes('-.0123456789');
const [underscore, smallX] = [0x5f, 0x78];

/** Rows and cells say where they are: `AB12` has a placeholder for its row. Other attributes are of the shape. */
export const referencePlaceholder: AttributePlaceholder = ({ element, attribute, value }) => {
  const isReference = attribute === 'r' && ['row', 'c'].includes(localName(element));
  return isReference ? { begin: value.search(/\d*$/), end: value.length, accepts: digits } : undefined;
};

/** Reads a row that has marks in its placeholders. */
export function rowShape(
  marked: Buffer,
  placeholderIn: FindPlaceholder,
  { places, isDate }: { places: readonly number[]; isDate: (style: number) => boolean },
): RowShape | undefined {
  const cells: (SheetCell & { placeholder: number })[] = [];
  let line: number | undefined = -1;
  let isKnown = true;
  const rows = createSheetRows({
    begin(reference) {
      if (reference === undefined) return;
      line = placeholderIn(reference);
      isKnown &&= line !== undefined && line >= 0;
    },
    cell(cell) {
      const placeholder = placeholderIn(cell.text);
      isKnown &&= placeholder !== undefined;
      cells.push({ ...cell, placeholder: placeholder ?? -1 });
    },
    end: () => undefined,
    line: () => 1,
  });
  rows.write(marked);
  return isKnown ? { line: line ?? -1, cells, wanted: wantedCells(cells, places, isDate) } : undefined;
}

function wantedCells(
  cells: RowShape['cells'],
  places: readonly number[],
  isDate: (style: number) => boolean,
): WantedCells | undefined {
  const found = places.map((place) => cells.findLast(({ column }) => column === place));
  const isNumber = found.map((cell) => cell?.type === 'n');
  const isRead = found.every((cell) => {
    if (!cell || (cell.placeholder === -1 && cell.type !== 's')) return true;
    return ['inlineStr', 'str'].includes(cell.type) || (cell.type === 'n' && !isDate(cell.style));
  });
  const placeholders = Int32Array.from(found, (cell) => cell?.placeholder ?? -1);
  return isRead ? { placeholders, spans: new Int32Array(2 * places.length).fill(-1), isNumber } : undefined;
}

/**
 * Where the wanted cells of the row that was found are, where all of them mean what their bytes are and one has a value: numbers may have
 * exponents or more digits than are shown, and texts may have characters that XML cannot hold.
 */
export function plainSpans(bytes: Buffer, shape: Shape<RowShape>): Int32Array | undefined {
  const { wanted } = shape.layout;
  if (!wanted) return undefined;
  const spans = spansAt(shape, { places: wanted.placeholders, spans: wanted.spans });
  let hasValue = false;
  for (let cell = 0; cell < wanted.isNumber.length; cell += 1) {
    const [begin, end] = [spans[2 * cell] as number, spans[2 * cell + 1] as number];
    if (wanted.isNumber[cell] && end - begin > shownDigits) return undefined;
    for (let at = begin; at < end; at += 1) {
      hasValue = true;
      const byte = bytes[at] as number;
      if (wanted.isNumber[cell] ? plainNumber[byte] === 0 : byte === underscore && bytes[at + 1] === smallX)
        return undefined;
    }
  }
  return hasValue ? spans : undefined;
}
