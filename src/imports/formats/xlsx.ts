import { Fault } from '#src/imports/targets/cells.ts';
import { type Archive, withArchive } from './archive.ts';
import { FileFault } from './file-fault.ts';
import { withoutApostrophe } from './formulas.ts';
import { placesOf, placesOfNumbers } from './header.ts';
import type { CellValue, FileRecord, Read, Reading } from './records.ts';
import { parsePart, readWorkbook, withoutEscapes, type Workbook } from './xlsx-parts.ts';
import { columnOf, dateText, numberText } from './xlsx-values.ts';

/** Bytes of a workbook, at most. */
const maxBytes = 200 * 1024 * 1024;
/** Columns that a sheet can have. */
const maxColumns = 16_384;
/** Characters of one cell, at most: workbooks have at most half as many. */
const maxCellLength = 65_536;

/** The rows of a sheet; `line` is the sheet's own row. */
export const readXlsx: Read = (bytes, reading) =>
  withArchive(bytes, { maxBytes, use: (archive) => readSheet(archive, reading) });

async function* readSheet(
  archive: Archive,
  { wanted, sheet, header, decimalSeparator }: Reading,
): AsyncGenerator<FileRecord[]> {
  const workbook = await readWorkbook(archive, sheet);
  const sheetBytes = archive.read(workbook.sheetPath);
  if (!sheetBytes) throw new FileFault('The sheet is missing from the archive.');
  let places = header ? undefined : placesOfNumbers(wanted);
  let batch: FileRecord[] = [];
  let line = 0;
  let row: CellValue[] = [];
  let cell: Cell | undefined;
  let isValue = false;

  const endRow = (): void => {
    if (row.every((value) => value === undefined || value === '')) return;
    if (places) batch.push({ line, cells: places.map((place) => row[place]) });
    else
      places = placesOf(
        Array.from(row, (value) => (typeof value === 'string' ? value : '')),
        wanted,
      );
  };
  const parsed = parsePart(sheetBytes, () => `row ${line}`, {
    open(name, { r: reference, t: type = 'n', s: style }) {
      if (name === 'row') {
        line = reference === undefined ? line + 1 : Number(reference);
        row = [];
      } else if (name === 'c') {
        const column = reference === undefined ? row.length : columnOf(reference);
        if (column < 0 || column >= maxColumns) throw new FileFault(`Row ${line} has a cell outside of the sheet.`);
        cell = { column, type, style: style === undefined ? -1 : Number(style), text: '' };
      }
      isValue = name === 'v' || (name === 't' && cell?.type === 'inlineStr');
    },
    text(text) {
      if (!isValue || !cell) return;
      cell.text += text;
      if (cell.text.length > maxCellLength)
        throw new FileFault(`A cell in row ${line} has more than ${maxCellLength} characters.`);
    },
    close(name) {
      isValue = false;
      if (name === 'c' && cell) row[cell.column] = valueOf(cell, workbook, decimalSeparator);
      if (name === 'row') endRow();
    },
  });
  for await (const _piece of parsed) {
    if (batch.length === 0) continue;
    yield batch;
    batch = [];
  }
  if (!places) throw new FileFault('The sheet has no header. Its first row must name the columns.');
  if (batch.length > 0) yield batch;
}

interface Cell {
  column: number;
  type: string;
  style: number;
  text: string;
}

function valueOf(
  { type, style, text }: Cell,
  { sharedStrings, isDate, from1904 }: Workbook,
  separator: string,
): CellValue {
  if (type === 's') {
    const shared = sharedStrings[Number(text)];
    return shared === undefined
      ? new Fault('The text of the cell is missing from the workbook.')
      : withoutApostrophe(shared);
  }
  if (type === 'inlineStr' || type === 'str') return withoutApostrophe(withoutEscapes(text));
  if (text === '') return undefined;
  if (type === 'b') return text === '1';
  if (type === 'e') return new Fault(`The cell has the error ${text}.`);
  if (type === 'd') return text;
  return isDate(style) ? dateText(text, { from1904 }) : numberText(text, separator);
}
