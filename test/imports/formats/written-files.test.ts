import { buffer } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { withArchive } from '#src/imports/formats/archives/archive.ts';
import { writers } from '#src/imports/formats/formats.ts';
import type { Writer, Writing } from '#src/imports/formats/records/written.ts';
import { cutAnywhere, inPieces, of } from '#test/imports/read-chunks.ts';

const writing: Writing = {
  columns: [
    { name: '@id', type: 'text' },
    { name: 'amount', type: 'numeric' },
    { name: 'active', type: 'boolean' },
  ],
  delimiter: ',',
  quote: '"',
  header: true,
  skipLines: 0,
  encoding: 'utf-8',
  decimalSeparator: '.',
  recordPath: null,
  sheet: null,
};
/** As COPY sends them: it writes line breaks and tabs with a backslash, and no value as `\N`. */
const rows = Buffer.from(String.raw`ö"€"\r\n\t	123456789012345.6	true
\N	12345678901234.5	false
`);

const write = (format: string, chunks: readonly Buffer[], own: Partial<Writing> = {}): Promise<Buffer> =>
  buffer((writers[format] as Writer).write(of(chunks), { ...writing, ...own }));

/** The rows of the sheet of a workbook. */
async function readSheet(workbook: Buffer): Promise<string> {
  const use = (archive: { read: (name: string) => AsyncGenerator<Buffer> | undefined }) =>
    archive.read('xl/worksheets/sheet1.xml') as AsyncGenerator<Buffer>;
  const xml = await buffer(withArchive(of([workbook]), { maxBytes: 100_000, use }));
  return xml.toString().replace(/^[^]*<sheetData>\n|<\/sheetData>[^]*$/g, '');
}

describe('an export is the same file wherever the database cuts its rows', () => {
  test.for<[string, string]>([
    [
      'json',
      String.raw`[
{"@id":"ö\"€\"\r\n\t","amount":"123456789012345.6","active":true},
{"@id":null,"amount":"12345678901234.5","active":false}
]
`,
    ],
    [
      'ndjson',
      String.raw`{"@id":"ö\"€\"\r\n\t","amount":"123456789012345.6","active":true}
{"@id":null,"amount":"12345678901234.5","active":false}
`,
    ],
    [
      'xml',
      `<?xml version="1.0" encoding="utf-8"?>
<rows>
<row id="ö&quot;€&quot;&#13;&#10;&#9;"><amount>123456789012345.6</amount><active>true</active></row>
<row><amount>12345678901234.5</amount><active>false</active></row>
</rows>
`,
    ],
  ])('as %s', async ([format, file]) => {
    for (const chunks of cutAnywhere(rows)) expect((await write(format, chunks)).toString()).toBe(file);
  });

  test('as a sheet, in which numbers of more than fifteen digits are text', async () => {
    const text = (content: string): string => `<c t="inlineStr"><is><t xml:space="preserve">${content}</t></is></c>`;
    const sheet = `<row>${text("'@id")}${text('amount')}${text('active')}</row>
<row>${text('ö&quot;€&quot;_x000D_&#10;&#9;')}${text('123456789012345.6')}<c t="b"><v>1</v></c></row>
<row><c/><c><v>12345678901234.5</v></c><c t="b"><v>0</v></c></row>
`;
    for (const size of [1, 7, rows.length])
      expect(await readSheet(await write('xlsx', inPieces(rows, size)))).toBe(sheet);
  });

  test.for<[string, (text: string) => Buffer]>([
    ['utf-8', (text) => Buffer.from(text)],
    ['utf-16le', (text) => Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['utf-16be', (text) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
    ['windows-1252', (text) => Buffer.from(text.replaceAll('€', '\x80'), 'latin1')],
    ['iso-8859-15', (text) => Buffer.from(text.replaceAll('€', '\xa4'), 'latin1')],
    ['macintosh', (text) => Buffer.from(text.replaceAll('€', '\xdb').replaceAll('ö', '\x9a'), 'latin1')],
  ])('as CSV in %s', async ([encoding, encode]) => {
    const csv = 'ö,1.5,true\n€,,false\n';
    for (const chunks of cutAnywhere(Buffer.from(csv)))
      expect(await write('csv', chunks, { encoding })).toEqual(encode(`'@id,amount,active\n${csv}`));
  });
});
