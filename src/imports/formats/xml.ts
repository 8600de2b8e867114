import { decode } from './decode.ts';
import { FileFault } from './file-fault.ts';
import type { HoleOf } from './record-shapes.ts';
import type { FileRecord, Read, Reading } from './records.ts';
import { recordOfShape, type ShapedCells, shapedCells } from './shaped-cells.ts';
import { createShapedReader } from './shaped-records.ts';
import { type AttributeHole, xmlHoles } from './xml-holes.ts';
import { createXmlRecords } from './xml-records.ts';

/** The elements at the record path, or the root's children, read row by row; they are numbered from 1. */
export const readXml: Read = async function* (bytes, reading) {
  let batch: FileRecord[] = [];
  let records = 0;
  let parsed = 0;
  const xml = createXmlRecords(reading, {
    begin() {
      records += 1;
    },
    end(record) {
      parsed += 1;
      batch.push(record);
    },
    line: () => records,
  });
  const read = createShapedReader<ShapedCells>({
    parse: (part) => xml.write(part.toString()),
    parsed: () => parsed,
    isBetween: xml.isBetween,
    endMark: () => byteText(xml.last()?.end ?? '>'),
    holesOf: (record) =>
      xmlHoles(record, { element: byteText(xml.last()?.element ?? ''), holeOfAttribute, isUtf8: true }),
    meaningOf: (marked, holeOf) => cellsOf(marked, { ...reading, open: xml.open, holeOf }),
    take(part, shape) {
      records += 1;
      batch.push(recordOfShape(part, shape, { line: records, passOver: reading.passOver }));
    },
  });
  for await (const chunk of decode(bytes, reading.encoding)) {
    read(chunk);
    if (batch.length === 0) continue;
    yield batch;
    batch = [];
  }
  xml.close();
  if (!xml.hasRoot()) throw new FileFault('The file is empty: XML has a root element.');
  if (batch.length > 0) yield batch;
};

/** The text with a character for each of its bytes, as records are searched. */
const byteText = (text: string): string => Buffer.from(text).toString('latin1');

const holeOfAttribute: AttributeHole = ({ value }) => ({ begin: 0, end: value.length });

/** Reads a record that has marks in its holes, where these elements are open. */
function cellsOf(
  marked: Buffer,
  { open, holeOf, ...reading }: Pick<Reading, 'wanted' | 'recordPath'> & { open: readonly string[]; holeOf: HoleOf },
): ShapedCells | undefined {
  const found: FileRecord[] = [];
  const xml = createXmlRecords(reading, { begin: () => undefined, end: (record) => found.push(record), line: () => 1 });
  xml.write(`${open.map((name) => `<${name}>`).join('')}${marked.toString()}`);
  return found[0] && shapedCells(found[0], holeOf);
}
