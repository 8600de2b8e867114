import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { openFile } from '#src/imports/formats/archives/open-file.ts';
import { readXlsx } from '#src/imports/formats/xlsx/xlsx.ts';
import { makeZip } from '#test/imports/archives.ts';
import { inPieces, of, readAll } from '#test/imports/read-chunks.ts';

async function open(file: Buffer, format: string): Promise<string> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of openFile(of(inPieces(file, 100)), { format })) chunks.push(chunk);
  } catch (error) {
    return (error as Error).message;
  }
  expect(Buffer.concat(chunks)).toEqual(file);
  return 'read';
}

const xls = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(5_000)]);
const html = '<html>\n<head><meta charset="utf-8"></head><body><table><tr><td>sku</td></tr></table></body></html>';
const spreadsheetXml =
  '<?xml version="1.0"?><?mso-application progid="Excel.Sheet"?><Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet"/>';

describe('a file of another kind says what it is', () => {
  test.each<[string, string, string, Buffer]>([
    ['an old workbook', 'xlsx csv json ndjson xml', 'workbook of the old format (.xls), or one with a password', xls],
    ['a PDF', 'xlsx csv json ndjson xml', 'The file is a PDF', Buffer.from('%PDF-1.7\n')],
    ['a web page', 'xlsx csv json ndjson', 'The file is a web page (HTML)', Buffer.from(html)],
    [
      'a web page with a mark',
      'xlsx csv',
      'The file is a web page (HTML)',
      Buffer.from(`\ufeff\n<!DOCTYPE html>${html}`),
    ],
    ['a table alone', 'xlsx csv', 'The file is a web page (HTML)', Buffer.from('<!-- x --> <TABLE border=1>')],
    ['a web page in UTF-16', 'xlsx csv', 'The file is a web page (HTML)', Buffer.from(`\ufeff${html}`, 'utf16le')],
    ['a spreadsheet in XML', 'xlsx csv json', 'The file is a spreadsheet in XML of 2003', Buffer.from(spreadsheetXml)],
    ['XML', 'xlsx csv json ndjson', 'The file is XML', Buffer.from('<?xml version="1.0"?><rows/>')],
    ['JSON', 'xlsx csv xml', 'The file is JSON', Buffer.from('[\n  {"sku": "A"}]')],
    ['CSV', 'xlsx', 'The file is not a workbook (.xlsx), whatever it is named', Buffer.from('sku,name\n')],
  ])('%s', async (_, formats, message, file) => {
    for (const format of formats.split(' ')) {
      expect(await open(file, format)).toContain(message);
      expect(await open(gzipSync(file), format)).toContain(message);
      if (format !== 'xlsx') expect(await open(await makeZip({ 'stock.xls': file }), format)).toContain(message);
    }
  });

  test.each([
    ['csv', 'sku,name\n<b>,x\n'],
    ['csv', 'k'],
    ['csv', ''],
    ['csv', '<sku>;name\n'],
    ['json', '[{"sku":"<html>"}]'],
    ['ndjson', '{"sku":"A"}\n'],
    ['xml', html],
    ['xml', spreadsheetXml],
    ['xlsx', ''],
  ])('and is read in %s where it is %j', async (format, text) => {
    expect(await open(Buffer.from(text), format)).toBe('read');
  });
});

test.each<[string, Record<string, string>, string]>([
  ['a binary workbook', { 'xl/workbook.bin': '' }, 'The file is a binary workbook (.xlsb). Save it as .xlsx.'],
  [
    'an OpenDocument sheet',
    { mimetype: 'application/vnd.oasis.opendocument.spreadsheet', 'content.xml': '' },
    'The file is an OpenDocument spreadsheet (.ods). Save it as .xlsx.',
  ],
  ['a sheet of Numbers', { 'Index/Document.iwa': '' }, 'The file is a document of Numbers. Export it as .xlsx.'],
  [
    'a packed workbook',
    { 'stock.xlsx': '' },
    'The archive is not a workbook: it has the file stock.xlsx. Send the .xlsx itself, which is packed already.',
  ],
  ['any other archive', { 'a.csv': '', 'b.csv': '' }, 'The archive is not a workbook. Save it as .xlsx.'],
])('%s is not taken for a workbook of XML', async (_, files, message) => {
  const { fault } = await readAll({ read: readXlsx, wanted: ['a'] }, [await makeZip(files)]);
  expect(fault?.message).toBe(message);
});
