import { FileFault, type FileRecord, type Read, type Reading } from '#src/imports/formats/records/records.ts';
import { jsonHoles } from '#src/imports/formats/shapes/json-holes.ts';
import type { HoleOf } from '#src/imports/formats/shapes/record-shapes.ts';
import { recordOfShape, type ShapedCells, shapedCells } from '#src/imports/formats/shapes/shaped-cells.ts';
import { createShapedReader } from '#src/imports/formats/shapes/shaped-records.ts';
import { decode } from '#src/imports/formats/text/decode.ts';
import { jsonLayout } from './json-paths.ts';
import { createJsonRecords } from './json-records.ts';

/** Bytes of a JSON file, at most. */
const maxBytes = 200 * 1024 * 1024;

/** The list at the record path, or at the root, of a JSON file; its records are numbered from 1. */
export const readJson: Read = async function* (bytes, reading) {
  const { decimalSeparator } = reading;
  const layout = jsonLayout(reading);
  // A cell that is around the record is not in its bytes.
  const passOver = layout.parents.length === 0 ? reading.passOver : undefined;
  let batch: FileRecord[] = [];
  let records = 0;
  let parsed = 0;
  const json = createJsonRecords(reading, layout, {
    begin() {
      records += 1;
      parsed += 1;
    },
    end: (record) => batch.push(record),
    line: () => records,
  });
  const readChunk = createShapedReader<ShapedCells>({
    parse: json.write,
    parsed: () => parsed,
    isBetween: json.isBetween,
    endMark: () => '}',
    holesOf: (record) => jsonHoles(record, decimalSeparator),
    meaningOf: (marked, holeOf) => cellsOf(marked, { ...reading, holeOf }),
    take(part, shape) {
      records += 1;
      json.take(recordOfShape(part, shape, { line: records, passOver }));
    },
  });
  let read = 0;
  for await (const chunk of decode(bytes, 'utf-8')) {
    read += chunk.length;
    if (read > maxBytes)
      throw new FileFault(`A JSON file may have at most ${maxBytes} bytes. Send it in parts, or as NDJSON.`);
    readChunk(chunk);
    if (batch.length === 0) continue;
    yield batch;
    batch = [];
  }
  json.end();
  if (batch.length > 0) yield batch;
};

/** Reads a record that has marks in its holes, and a comma before it. */
function cellsOf(
  marked: Buffer,
  { holeOf, ...reading }: Pick<Reading, 'wanted' | 'decimalSeparator'> & { holeOf: HoleOf },
): ShapedCells | undefined {
  const found: FileRecord[] = [];
  const own = { containers: jsonLayout({ wanted: [], recordPath: null }).containers, parents: [] };
  const json = createJsonRecords({ ...reading, recordPath: null }, own, {
    begin: () => undefined,
    end: (each) => found.push(each),
    line: () => 1,
  });
  json.write(Buffer.from(`[${marked.toString().replace(',', '')}`));
  return found[0] && shapedCells(found[0], holeOf);
}
