import { FileFault, type FileRecord, type Read } from '#src/imports/formats/records/records.ts';
import { xmlLayout } from './xml-columns.ts';
import { decodeXml } from './xml-encoding.ts';
import { XmlRecords } from './xml-records.ts';

/** The elements at the record path, or the root's children, read row by row; they are numbered from 1. */
export const readXml: Read = async function* (bytes, reading) {
  let batch: FileRecord[] = [];
  const xml = new XmlRecords(xmlLayout(reading), (record) => batch.push(record));
  for await (const chunk of decodeXml(bytes, reading.encoding)) {
    xml.write(chunk.toString());
    if (batch.length === 0) continue;
    yield batch;
    batch = [];
  }
  xml.end();
  if (!xml.hasRoot) throw new FileFault('The file is empty: XML has a root element.');
  if (batch.length > 0) yield batch;
};
