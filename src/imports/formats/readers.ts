import { readCsv } from './csv.ts';
import { readJson } from './json.ts';
import { readNdjson } from './ndjson.ts';
import type { Read } from './records.ts';
import { readXlsx } from './xlsx.ts';
import { readXml } from './xml.ts';

/** How files of each format are read. */
export const readers: Record<string, Read> = {
  csv: readCsv,
  json: readJson,
  ndjson: readNdjson,
  xml: readXml,
  xlsx: readXlsx,
};
