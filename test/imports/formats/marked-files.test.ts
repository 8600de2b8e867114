import { expect, test } from 'vitest';
import { readCsv } from '#src/imports/formats/csv/csv.ts';
import { readJson } from '#src/imports/formats/json/json.ts';
import { readNdjson } from '#src/imports/formats/json/ndjson.ts';
import type { Read } from '#src/imports/formats/records/records.ts';
import { readXml } from '#src/imports/formats/xml/xml.ts';
import { cutAnywhere, readAll } from '#test/imports/read-chunks.ts';

test.for<[string, Read, string, boolean]>([
  ['CSV with a quoted header', readCsv, '"id"\n1\n', true],
  ['CSV without a header', readCsv, '1\n', false],
  ['JSON', readJson, '[{"id":"1"}]', true],
  ['NDJSON', readNdjson, '{"id":"1"}', true],
  ['XML', readXml, '<r><row><id>1</id></row></r>', true],
])('the byte-order mark of %s is no part of the text, wherever the file is cut', async ([, read, text, header]) => {
  const format = { read, wanted: [header ? 'id' : '1'] };
  for (const chunks of cutAnywhere(Buffer.from(`\ufeff${text}`)))
    expect(await readAll(format, chunks, { header })).toMatchObject({ fault: undefined, records: [{ cells: ['1'] }] });
});
