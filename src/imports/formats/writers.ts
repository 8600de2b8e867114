import { csvWriter } from './write-csv.ts';
import { jsonWriter, ndjsonWriter } from './write-json.ts';
import { xlsxWriter } from './write-xlsx.ts';
import { xmlWriter } from './write-xml.ts';
import type { Writer } from './written.ts';

/** How files of each format are written. */
export const writers: Record<string, Writer> = {
  csv: csvWriter,
  json: jsonWriter,
  ndjson: ndjsonWriter,
  xml: xmlWriter,
  xlsx: xlsxWriter,
};
