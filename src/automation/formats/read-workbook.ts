import type { Readable } from 'node:stream';
import { setOwn } from '#src/automation/expressions/json-value.ts';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import { type Archive, withArchive } from '#src/imports/formats/archives/archive.ts';
import { createSheetRows } from '#src/imports/formats/xlsx/sheet-rows.ts';
import { readWorkbook } from '#src/imports/formats/xlsx/xlsx-parts.ts';
import { toCell } from '#src/imports/formats/xlsx/xlsx.ts';
import { type FormatOptions, formatLimits, tooLarge } from './formats.ts';

/** The most bytes of a workbook file. */
const maxBytes = 64 * 1024 * 1024;

type Value = string | number | boolean | null;

/**
 * Reads a sheet of a workbook: a list of objects by column name, or of lists when there is no header. Empty rows are left out, and dates are
 * text in ISO 8601. Throws FileFault for a file that is no workbook, and a NodeError above the limits of formats.
 */
export async function parseWorkbook(content: Readable, { sheet, header }: FormatOptions): Promise<unknown[]> {
  let rows: Value[][] = [];
  for await (const read of withArchive(content, { maxBytes, use: (archive) => readRows(archive, sheet ?? null) }))
    rows = read;
  return header ? toRecords(rows) : rows;
}

async function* readRows(archive: Archive, sheet: string | null): AsyncGenerator<Value[][]> {
  const workbook = await readWorkbook(archive, sheet);
  const content = archive.read(workbook.sheetPath);
  if (!content) throw new NodeError('UNREADABLE', 'The sheet is missing from the workbook. Save the workbook again.');
  const rows: Value[][] = [];
  let row: Value[] = [];
  let line = 0;
  let cells = 0;
  let characters = 0;
  const reader = createSheetRows({
    line: () => line,
    begin(reference) {
      line = reference === undefined ? line + 1 : Number(reference);
      row = [];
    },
    cell(cell) {
      const value = toValue(toCell(cell, workbook, '.'), cell.type, line);
      if (value === null) return;
      while (row.length < cell.column) row.push(null);
      row[cell.column] = value;
      characters += typeof value === 'string' ? value.length : 0;
    },
    end() {
      if (row.length === 0) return;
      rows.push(row);
      cells += row.length;
      if (rows.length > formatLimits.rows + 1) throw tooLarge(`A sheet has at most ${formatLimits.rows} rows.`);
      if (cells > formatLimits.cells) throw tooLarge(`A sheet has at most ${formatLimits.cells} cells.`);
      if (characters > formatLimits.text) throw tooLarge(`A sheet has at most ${formatLimits.text} characters.`);
    },
  });
  for await (const chunk of content) reader.write(chunk);
  reader.close();
  yield rows;
}

/** Numbers with more digits than a double keeps stay text. */
function toValue(value: ReturnType<typeof toCell>, type: string, line: number): Value {
  if (value === undefined || value === '') return null;
  if (typeof value === 'object') throw new NodeError('UNREADABLE', `Row ${line} cannot be read. ${value.reason}`);
  if (type !== 'n' || typeof value !== 'string') return value;
  return String(Number(value)) === value ? Number(value) : value;
}

function toRecords([names = [], ...rows]: Value[][]): Record<string, Value>[] {
  const columns = names.map((name) => (name === null ? undefined : String(name)));
  const named = columns.filter((name) => name !== undefined);
  if (new Set(named).size < named.length)
    throw new NodeError('UNREADABLE', 'The header of the sheet names a column twice.');
  return rows.map((row) => {
    const record: Record<string, Value> = {};
    for (const [index, name] of columns.entries()) if (name !== undefined) setOwn(record, name, row[index] ?? null);
    return record;
  });
}
