import { FileFault } from '#src/imports/formats/records/records.ts';
import { createPart, type Part } from './xlsx-parts.ts';
import { parseColumn } from './xlsx-values.ts';

/** Columns that a sheet can have. */
const maxColumns = 16_384;
/** Characters of one cell, at most: workbooks have at most half as many. */
const maxCellLength = 65_536;
const closing = '>'.charCodeAt(0);

/** A cell as the sheet has it. */
export interface SheetCell {
  column: number;
  type: string;
  style: number;
  text: string;
}

interface Handlers {
  /** The row's number, where it has one. */
  begin: (reference: string | undefined) => void;
  cell: (cell: SheetCell) => void;
  end: () => void;
  /** The number of the row that is read, or was last. */
  line: () => number;
}

export interface SheetRows extends Part {
  /** True if the last byte that was written ends a row that is within no other row. */
  isBetween: () => boolean;
  /** The element of the last row, with its prefix. */
  element: () => string | undefined;
}

/** Reads the cells of a sheet, row by row. */
export function createSheetRows({ begin, cell: take, end, line }: Handlers): SheetRows {
  let cell: SheetCell | undefined;
  let isValue = false;
  /** Inside of a hint of pronunciation, which is not part of the cell's text. */
  let isHint = false;
  let nextColumn = 0;
  let endedAt = -1;
  let openRows = 0;
  let lastByte = 0;
  let element: string | undefined;
  const part = createPart(() => `row ${line()}`, {
    open(name, { r: reference, t: type = 'n', s: style }) {
      if (name === 'row') {
        begin(reference);
        openRows += 1;
        nextColumn = 0;
      } else if (name === 'c') {
        const column = reference === undefined ? nextColumn : parseColumn(reference);
        if (column < 0 || column >= maxColumns) throw new FileFault(`Row ${line()} has a cell outside of the sheet.`);
        cell = { column, type, style: style === undefined ? -1 : Number(style), text: '' };
      }
      if (name === 'rPh') isHint = true;
      isValue = !isHint && (name === 'v' || (name === 't' && cell?.type === 'inlineStr'));
    },
    text(text) {
      if (!isValue || !cell) return;
      cell.text += text;
      if (cell.text.length > maxCellLength)
        throw new FileFault(`A cell in row ${line()} has more than ${maxCellLength} characters.`);
    },
    close(name, whole) {
      isValue = false;
      if (name === 'rPh') isHint = false;
      if (name === 'c' && cell) {
        take(cell);
        nextColumn = Math.max(nextColumn, cell.column + 1);
      }
      if (name !== 'row') return;
      end();
      openRows -= 1;
      element = whole;
      endedAt = part.position();
    },
  });
  return {
    ...part,
    write(bytes) {
      part.write(bytes);
      lastByte = bytes.at(-1) ?? lastByte;
    },
    // Bytes of a character that is not whole have no position.
    isBetween: () => endedAt === part.position() && lastByte === closing && openRows === 0,
    element: () => element,
  };
}
