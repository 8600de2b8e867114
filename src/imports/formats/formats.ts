import { readCsv } from './csv/csv.ts';
import { csvWriter } from './csv/write-csv.ts';
import { readJson } from './json/json.ts';
import { readNdjson } from './json/ndjson.ts';
import { jsonWriter, ndjsonWriter } from './json/write-json.ts';
import type { Read } from './records/records.ts';
import type { Writer } from './records/written.ts';
import { xlsxWriter } from './xlsx/write-xlsx.ts';
import { readXlsx } from './xlsx/xlsx.ts';
import { xmlWriter } from './xml/write-xml.ts';
import { readXml } from './xml/xml.ts';

/** How files of each format are read. */
export const readers: Record<string, Read> = {
  csv: readCsv,
  json: readJson,
  ndjson: readNdjson,
  xml: readXml,
  xlsx: readXlsx,
};

/** How files of each format are written. */
export const writers: Record<string, Writer> = {
  csv: csvWriter,
  json: jsonWriter,
  ndjson: ndjsonWriter,
  xml: xmlWriter,
  xlsx: xlsxWriter,
};
