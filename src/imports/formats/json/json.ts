import { FileFault, type FileRecord, type Read } from '#src/imports/formats/records/records.ts';
import { decode } from '#src/imports/formats/text/decode.ts';
import { jsonLayout } from './json-paths.ts';
import { createJsonRecords } from './json-records.ts';

/** Bytes of a JSON file, at most. */
const maxBytes = 200 * 1024 * 1024;

/** The list at the record path, or at the root, of a JSON file; its records are numbered from 1. */
export const readJson: Read = async function* (bytes, reading) {
  let batch: FileRecord[] = [];
  const json = createJsonRecords(reading, jsonLayout(reading), (record) => batch.push(record));
  let read = 0;
  for await (const chunk of decode(bytes, 'utf-8')) {
    read += chunk.length;
    if (read > maxBytes)
      throw new FileFault(`A JSON file may have at most ${maxBytes} bytes. Send it in parts, or as NDJSON.`);
    json.write(chunk);
    if (batch.length === 0) continue;
    yield batch;
    batch = [];
  }
  json.end();
  if (batch.length > 0) yield batch;
};
