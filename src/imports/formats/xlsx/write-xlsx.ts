import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import { copiedRows } from '#src/imports/formats/records/copied-rows.ts';
import { FileFault } from '#src/imports/formats/records/records.ts';
import type { Writer, Writing, WrittenColumn, WrittenRow } from '#src/imports/formats/records/written.ts';
import { withApostrophe } from '#src/imports/formats/tables/formulas.ts';
import { xmlText } from '#src/imports/formats/xml/xml-text.ts';

/** Rows that a sheet can have, with its header. */
const maxRows = 1_048_576;
const ns = 'http://schemas.openxmlformats.org';
const head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

/** A workbook of one sheet. Its texts stand in their cells, so that a million rows need no more memory than one. */
export const xlsxWriter: Writer = {
  mediaType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  copies: 'text',
  isForSpreadsheets: true,
  check({ sheet }) {
    if (sheet !== null && (sheet.length > 31 || /[[\]:*?/\\]/.test(sheet)))
      throw new FileFault('The name of a sheet has at most 31 characters, and none of []:*?/\\.');
  },
  async *write(copied, writing) {
    const zip = new ZipFile();
    const output = zip.outputStream as Readable;
    zip.on('error', (error: Error) => output.destroy(error));
    const sheet = Readable.from(sheetXml(copied, writing), { objectMode: false });
    // The library notices the end of a source, but not that it was destroyed.
    output.on('close', () => sheet.destroy());
    for (const [path, content] of parts(writing.sheet ?? 'Sheet1'))
      zip.addBuffer(Buffer.from(head + content), path, fixed);
    zip.addReadStream(sheet, 'xl/worksheets/sheet1.xml', fixed);
    zip.end();
    yield* output as AsyncIterable<Buffer>;
  },
};

/** Equal data makes equal files. */
const fixed = { mtime: new Date(2000, 0, 1), mode: 0o100644, forceDosTimestamp: true };

function parts(sheet: string): [string, string][] {
  const office = `${ns}/officeDocument/2006/relationships`;
  const spreadsheet = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
  const related = (type: string, target: string): string =>
    `<Relationships xmlns="${ns}/package/2006/relationships"><Relationship Id="rId1" Type="${office}/${type}" Target="${target}"/></Relationships>`;
  return [
    [
      '[Content_Types].xml',
      `<Types xmlns="${ns}/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${spreadsheet}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${spreadsheet}.worksheet+xml"/></Types>`,
    ],
    ['_rels/.rels', related('officeDocument', 'xl/workbook.xml')],
    [
      'xl/workbook.xml',
      `<workbook xmlns="${ns}/spreadsheetml/2006/main" xmlns:r="${office}"><sheets><sheet name="${xmlText(sheet)}" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    ],
    ['xl/_rels/workbook.xml.rels', related('worksheet', 'worksheets/sheet1.xml')],
  ];
}

async function* sheetXml(
  copied: AsyncIterable<Buffer>,
  { columns, header: isNamed, skipLines, decimalSeparator }: Writing,
): AsyncGenerator<Buffer> {
  const header = columns.map(({ name }) => textCell(withApostrophe(name)));
  yield Buffer.from(
    `${head}<worksheet xmlns="${ns}/spreadsheetml/2006/main"><sheetData>\n${'<row/>'.repeat(skipLines)}${isNamed ? `<row>${header.join('')}</row>\n` : ''}`,
  );
  let written = skipLines + 1;
  for await (const rows of copiedRows(copied)) {
    written += rows.length;
    if (written > maxRows)
      throw new FileFault(`A sheet has at most ${maxRows} rows. Export parts by a filter, or as CSV.`);
    yield Buffer.from(rows.map((row) => rowXml(row, columns, decimalSeparator)).join(''));
  }
  yield Buffer.from('</sheetData></worksheet>\n');
}

function rowXml(row: WrittenRow, columns: readonly WrittenColumn[], decimalSeparator: string): string {
  const cells = row.map((text, at) => {
    if (text === null || text === '') return '<c/>';
    const type = columns[at]?.type;
    if (type === 'boolean') return `<c t="b"><v>${text === 'true' ? 1 : 0}</v></c>`;
    return type === 'numeric' ? numberCell(text, decimalSeparator) : textCell(text);
  });
  return `<row>${cells.join('')}</row>\n`;
}

/** Spreadsheets keep fifteen digits of a number; one with more is written as text. */
function numberCell(text: string, decimalSeparator: string): string {
  return text.replace(/\D/g, '').length <= 15 ? `<c><v>${text.replace(decimalSeparator, '.')}</v></c>` : textCell(text);
}

const textCell = (text: string): string =>
  `<c t="inlineStr"><is><t xml:space="preserve">${xmlText(escaped(text))}</t></is></c>`;

// oxlint-disable-next-line no-control-regex -- these are the characters that XML cannot have; spreadsheets have a way to write them.
const impossible = /[\0-\x08\x0b-\x1f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)/g;

const escaped = (text: string): string =>
  text.replace(impossible, (character) => `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`);
