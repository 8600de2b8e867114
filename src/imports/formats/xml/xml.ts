import { FileFault, type FileRecord, type Read } from '#src/imports/formats/records/records.ts';
import type { HoleOf } from '#src/imports/formats/shapes/record-shapes.ts';
import { recordOfShape, type ShapedCells, shapedCells } from '#src/imports/formats/shapes/shaped-cells.ts';
import { createShapedReader } from '#src/imports/formats/shapes/shaped-records.ts';
import { type AttributeHole, xmlHoles } from '#src/imports/formats/shapes/xml-holes.ts';
import { layoutOfRecord, type XmlLayout, xmlLayout } from './xml-columns.ts';
import { decodeXml } from './xml-encoding.ts';
import type { XmlScope } from './xml-names.ts';
import { createXmlRecords } from './xml-records.ts';

/** The elements at the record path, or the root's children, read row by row; they are numbered from 1. */
export const readXml: Read = async function* (bytes, reading) {
  const layout = xmlLayout(reading);
  // A cell that is around the record is not in its bytes.
  const passOver = layout.parents.length === 0 ? reading.passOver : undefined;
  let batch: FileRecord[] = [];
  let records = 0;
  let parsed = 0;
  const xml = createXmlRecords(layout, {
    begin() {
      records += 1;
      parsed += 1;
    },
    end: (record) => batch.push(record),
    line: () => records,
  });
  const holeOfAttribute = attributeHoles(layout);
  const read = createShapedReader<ShapedCells>({
    parse: (part) => xml.write(part.toString()),
    parsed: () => parsed,
    isBetween: xml.isBetween,
    context: xml.scope,
    endMark: () => byteText(xml.last()?.end ?? '>'),
    holesOf: (record) =>
      xmlHoles(record, { element: byteText(xml.last()?.element ?? ''), holeOfAttribute, isUtf8: true }),
    meaningOf: (marked, holeOf) => cellsOf(marked, { layout, scope: xml.scope(), holeOf }),
    take(part, shape) {
      records += 1;
      xml.take(recordOfShape(part, shape, { line: records, passOver }));
    },
  });
  for await (const chunk of decodeXml(bytes, reading.encoding)) {
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

/** Attributes may have any value, but for those that say what an element is. */
function attributeHoles({ namespaces, choosing }: XmlLayout): AttributeHole {
  const local = new Set([...choosing].map((name) => byteText(name.replace(/^.*[}]/, ''))));
  return ({ attribute, value }) => {
    const isDeclaration = namespaces !== null && /^xmlns(?::|$)/.test(attribute);
    const isChoosing = local.size > 0 && (local.has(attribute) || local.has(attribute.replace(/^[^:]*:/, '')));
    return isDeclaration || isChoosing ? undefined : { begin: 0, end: value.length };
  };
}

/** Reads a record that has marks in its holes, where these namespaces hold. */
function cellsOf(
  marked: Buffer,
  { layout, scope, holeOf }: { layout: XmlLayout; scope: XmlScope; holeOf: HoleOf },
): ShapedCells | undefined {
  const found: FileRecord[] = [];
  const own = layoutOfRecord(layout);
  const xml = createXmlRecords(own, {
    begin: () => undefined,
    end: (record) => found.push(record),
    line: () => 1,
    scope,
  });
  xml.write(marked.toString());
  return found[0] && shapedCells(found[0], holeOf);
}
