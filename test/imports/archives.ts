import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';

/** A zip archive of these files, which may be stored without compression. */
export async function makeZip(files: Record<string, string | Buffer>, { compress = true } = {}): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [name, content] of Object.entries(files))
    zip.addBuffer(Buffer.from(content as string), name, { compress });
  zip.end();
  return buffer(zip.outputStream as Readable);
}

/** The archive, whose directory says that its first file has so many bytes. */
export function withSize(archive: Buffer, bytes: number): Buffer {
  const lying = Buffer.from(archive);
  lying.writeUInt32LE(bytes, lying.indexOf('PK\u0001\u0002') + 24);
  return lying;
}

const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** A workbook as spreadsheet programs write it, with these rows in its sheet "Stock", behind an empty first sheet. */
export const makeWorkbook = (
  rows: string,
  { strings = '', workbookProperties = '' }: { strings?: string; workbookProperties?: string } = {},
): Promise<Buffer> =>
  makeZip({
    'xl/workbook.xml': `<?xml version="1.0"?><workbook xmlns="${main}" xmlns:r="${office}"><workbookPr ${workbookProperties}/><sheets><sheet name="Notes" sheetId="1" r:id="rId1"/><sheet name="Stock" sheetId="2" r:id="rId2"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Target="/xl/worksheets/other.xml"/></Relationships>`,
    'xl/styles.xml': `<styleSheet xmlns="${main}"><numFmts><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/><numFmt numFmtId="165" formatCode="0.00&quot; days&quot;"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="22"/></cellXfs></styleSheet>`,
    'xl/sharedStrings.xml': `<sst xmlns="${main}">${strings}</sst>`,
    'xl/worksheets/sheet1.xml': `<worksheet xmlns="${main}"><sheetData/></worksheet>`,
    'xl/worksheets/other.xml': `<worksheet xmlns="${main}"><sheetData>${rows}</sheetData></worksheet>`,
  });

/** The bytes with one bit of their first occurrence of a text changed. */
export function withFlippedBit(bytes: Buffer, text: string): Buffer {
  const flipped = Buffer.from(bytes);
  const at = flipped.indexOf(text);
  if (at === -1) throw new Error(`There is no ${text}.`);
  flipped[at] = (flipped[at] as number) ^ 8;
  return flipped;
}
