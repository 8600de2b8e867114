import { FileFault, type FileRecord, type Read, type Reading } from '#src/imports/formats/records/records.ts';
import { readSheet } from '#src/imports/formats/xlsx/xlsx.ts';

/** A format, and the columns that are read of it; a column "none" may be missing. */
export interface ReadFormat {
  read: Read;
  wanted: readonly string[];
}

const styles = '<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>';
const workbook: Record<string, string> = {
  'xl/workbook.xml': '<workbook><sheets><sheet name="S" r:id="r"/></sheets></workbook>',
  'xl/_rels/workbook.xml.rels': '<Relationships><Relationship Id="r" Target="sheet.xml"/></Relationships>',
  'xl/sharedStrings.xml': "<sst><si><t>none</t></si><si><t>'=one</t></si></sst>",
  'xl/styles.xml': styles,
};

export async function* of(chunks: readonly Buffer[]): AsyncGenerator<Buffer> {
  yield* chunks;
}

/** Reads the bytes as the sheet of a workbook that has not to be unpacked. */
export const readXlsx: Read = (bytes, reading) => {
  async function* read(name: string): AsyncGenerator<Buffer> {
    if (name === 'xl/sheet.xml') yield* bytes;
    else yield Buffer.from(workbook[name] ?? '<none/>');
  }
  return readSheet({ entries: new Map(), read }, reading);
};

/** All records of the chunks before a fault, and the fault. */
export async function readAll({ read, wanted }: ReadFormat, chunks: readonly Buffer[], own: Partial<Reading> = {}) {
  const records: FileRecord[] = [];
  const text = {
    delimiter: ',',
    quote: '"',
    header: true,
    skipLines: 0,
    encoding: 'utf-8',
    decimalSeparator: '.',
    sheet: null,
  };
  const columns = wanted.map((name) => ({ name, required: name !== 'none' }));
  const reading = { ...text, wanted: columns, recordPath: null, ...own };
  let fault: FileFault | undefined;
  try {
    for await (const batch of read(of(chunks), reading)) records.push(...batch);
  } catch (error) {
    if (!(error instanceof FileFault)) throw error;
    fault = error;
  }
  return { records, fault };
}

/** Of chunks that no record fits in, all records are parsed. */
export const inPieces = (bytes: Buffer, size = 5): Buffer[] =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(size * at, size * at + size));

/** The bytes in two chunks, for each place where they can be cut. */
export const cutAnywhere = (bytes: Buffer): Buffer[][] =>
  Array.from({ length: bytes.length + 1 }, (_, at) => [bytes.subarray(0, at), bytes.subarray(at)]);
