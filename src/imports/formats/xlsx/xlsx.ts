import { type Archive, withArchive } from '#src/imports/formats/archives/archive.ts';
import {
  FileFault,
  type CellValue,
  type FileRecord,
  type Read,
  type Reading,
} from '#src/imports/formats/records/records.ts';
import { findHeader } from '#src/imports/formats/tables/find-header.ts';
import { withoutApostrophe } from '#src/imports/formats/tables/formulas.ts';
import { placesOfNumbers } from '#src/imports/formats/tables/header.ts';
import { Fault } from '#src/imports/targets/cells.ts';
import { rowPlaceholders } from './row-placeholders.ts';
import { createShapedReader } from './shaped-rows.ts';
import { createSheetRows, type SheetCell } from './sheet-rows.ts';
import { referencePlaceholder, plainSpans, type RowShape, rowShape } from './sheet-shapes.ts';
import { readWorkbook, withoutEscapes, type Workbook } from './xlsx-parts.ts';
import { dateText, numberText } from './xlsx-values.ts';

/** Bytes of a workbook, at most. */
const maxBytes = 200 * 1024 * 1024;
/** The greatest number of a row: sheets have 1,048,576 rows, and some programs write more. */
const maxLine = 999_999_999;

/** The rows of a sheet; `line` is the sheet's own row. */
export const readXlsx: Read = (bytes, reading) =>
  withArchive(bytes, { maxBytes, use: (archive) => readSheet(archive, reading) });

/** The rows of the wanted sheet of a workbook that has been unpacked. */
export async function* readSheet(
  archive: Archive,
  { wanted, sheet, header, skipLines, decimalSeparator, skipUnchanged }: Reading,
): AsyncGenerator<FileRecord[]> {
  const workbook = await readWorkbook(archive, sheet);
  const sheetBytes = archive.read(workbook.sheetPath);
  if (!sheetBytes) throw new FileFault('The sheet is missing from the archive.');
  const search = findHeader(wanted);
  let places = header ? undefined : placesOfNumbers(wanted);
  let batch: FileRecord[] = [];
  let records = 0;
  let parsed = 0;
  let line = 0;
  let row: CellValue[] = [];

  const take = (record: FileRecord): void => {
    records += 1;
    batch.push(record);
  };
  const begin = (number: string | undefined): void => {
    const own = number === undefined ? line + 1 : Number(number);
    if (!Number.isInteger(own) || own < 1 || own > maxLine)
      throw new FileFault(`What follows row ${line} has no number of a row: "${number?.slice(0, 20)}".`);
    line = own;
    row = [];
  };
  const end = (): void => {
    if (line <= skipLines || row.every((value) => value === undefined || value === '')) return;
    if (places) take({ line, cells: places.map((place) => row[place]) });
    else
      places = search.look(
        Array.from(row, (value) => (typeof value === 'string' ? value : '')),
        line,
      );
  };
  const rows = createSheetRows({
    begin,
    cell(cell) {
      row[cell.column] = toCell(cell, workbook, decimalSeparator);
    },
    end() {
      parsed += 1;
      end();
    },
    line: () => line,
  });
  const read = createShapedReader<RowShape>({
    parse: rows.write,
    parsed: () => parsed,
    isBetween: rows.isBetween,
    endMark: () => (rows.element() === undefined ? '>' : `</${rows.element()}>`),
    findPlaceholders: (parsedRow) =>
      rowPlaceholders(parsedRow, { element: rows.element() ?? '', attributePlaceholder: referencePlaceholder }),
    readLayout: (marked, placeholderIn) => places && rowShape(marked, placeholderIn, { places, ...workbook }),
    take(bytes, shape) {
      const { layout, begins, ends } = shape;
      const readText = (placeholder: number): string =>
        bytes.toString('latin1', begins[placeholder], ends[placeholder]);
      begin(layout.line === -1 ? undefined : readText(layout.line));
      const spans = skipUnchanged && line > skipLines ? plainSpans(bytes, shape) : undefined;
      const passed = spans && skipUnchanged?.(bytes, spans, line, records + 1);
      if (passed) return take(passed);
      for (const cell of layout.cells) {
        const text = cell.placeholder === -1 ? '' : readText(cell.placeholder);
        row[cell.column] = toCell({ ...cell, text }, workbook, decimalSeparator);
      }
      end();
    },
  });
  for await (const chunk of sheetBytes) {
    read(chunk);
    if (batch.length === 0) continue;
    yield batch;
    batch = [];
  }
  rows.close();
  if (!places) throw search.fault() ?? new FileFault('The sheet has no header. Its first row must name the columns.');
  if (batch.length > 0) yield batch;
}

/** The value of a cell. */
export function toCell(
  { type, style, text }: SheetCell,
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
