import { Readable } from 'node:stream';
import { withApostrophe } from '#src/imports/formats/tables/formulas.ts';
import { xlsxWriter } from '#src/imports/formats/xlsx/write-xlsx.ts';

export type TableValue = string | number | boolean | null;

/** Writes a workbook with one sheet, whose name must be valid. */
export function renderWorkbook(
  columns: readonly string[],
  rows: readonly TableValue[][],
  { header, sheet }: { header: boolean; sheet: string | null },
): Readable {
  const writing = {
    columns: columns.map((name, at) => ({ name, type: columnType(rows, at) })),
    header,
    sheet,
    skipLines: 0,
    decimalSeparator: '.',
    delimiter: ',',
    quote: '"',
    encoding: 'utf-8',
    recordPath: null,
  };
  return Readable.from(xlsxWriter.write(copyText(rows), writing), { objectMode: false });
}

/** The type of a column, if all of its values have the same one. */
function columnType(rows: readonly TableValue[][], at: number): 'numeric' | 'boolean' | 'text' {
  const types = new Set(
    rows
      .map((row) => row[at])
      .filter((value) => value !== null && value !== undefined)
      .map((value) => typeof value),
  );
  if (types.size !== 1) return 'text';
  return types.has('number') ? 'numeric' : types.has('boolean') ? 'boolean' : 'text';
}

const rowsAtOnce = 1_000;

/** Converts rows to the text format of COPY, which the writer reads. */
async function* copyText(rows: readonly TableValue[][]): AsyncGenerator<Buffer> {
  for (let from = 0; from < rows.length; from += rowsAtOnce) {
    const lines = rows.slice(from, from + rowsAtOnce).map((row) => row.map(copyCell).join('\t'));
    yield Buffer.from(`${lines.join('\n')}\n`);
  }
}

const escapes: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

function copyCell(value: TableValue): string {
  if (value === null) return '\\N';
  const text = typeof value === 'string' ? withApostrophe(value) : String(value);
  return text.replace(/[\\\t\n\r]/g, (letter) => escapes[letter] as string);
}
