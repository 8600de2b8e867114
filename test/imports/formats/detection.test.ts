import { gzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { makeWorkbook, makeZip } from '#test/imports/archives.ts';
import { importFile, makeProfile, upload } from '#test/imports/import-file.ts';
import { callPlatform } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';

const german = 'SKU;Größe, Farbe;Quantity\nA;"x;y";1,50\nB;"z";2,25\n';

test.for<[string, () => Buffer | string | Promise<Buffer>, object]>([
  [
    'CSV',
    () => 'sku,location,quantity\nA,main,1.5\n',
    {
      format: 'csv',
      delimiter: ',',
      encoding: 'utf-8',
      decimal_separator: '.',
      header: true,
      mapping: { sku: 'sku', location: 'location', quantity: 'quantity' },
    },
  ],
  [
    'CSV of old spreadsheets',
    () => Buffer.from(german, 'latin1'),
    {
      format: 'csv',
      delimiter: ';',
      encoding: 'windows-1252',
      decimal_separator: ',',
      columns: ['SKU', 'Größe, Farbe', 'Quantity'],
      mapping: { sku: 'SKU', quantity: 'Quantity' },
    },
  ],
  [
    'CSV with tabs in UTF-16',
    () => Buffer.from(`\ufeff${german.replaceAll(';', '\t')}`, 'utf16le'),
    { format: 'csv', delimiter: '\t', encoding: 'utf-16le' },
  ],
  ['packed CSV', () => gzipSync(german), { format: 'csv', delimiter: ';', encoding: 'utf-8' }],
  ['CSV in an archive', () => makeZip({ 'stock.csv': german }), { format: 'csv', delimiter: ';' }],
  [
    'a long CSV',
    () => `sku|quantity\n${'Ä|1\n'.repeat(30_000)}`,
    { format: 'csv', delimiter: '|', encoding: 'utf-8', columns: ['sku', 'quantity'] },
  ],
  [
    'CSV that begins as archives do',
    () => 'PK;xl/quantity\n1;2\n',
    { format: 'csv', delimiter: ';', columns: ['PK', 'xl/quantity'] },
  ],
  [
    'CSV without a header',
    () => 'MUG-1;12,50;2026-01-31\nMUG-2;7,25;2026-01-31\n',
    { format: 'csv', delimiter: ';', header: false, decimal_separator: ',', columns: ['1', '2', '3'], mapping: {} },
  ],
  [
    'CSV of which a line says what separates cells',
    () => 'sep=|\nsku|name, long\nA|x, y\n',
    { format: 'csv', delimiter: '|', skip_lines: 1, header: true, columns: ['sku', 'name, long'] },
  ],
  [
    'CSV below titles, in an encoding of DOS',
    () => Buffer.from('Bestandsliste\n\nStand: 31.1.2026\nsku;Gr\x94\xe1e;quantity;;\nA;S;1;;\nB;M;2;;\n', 'latin1'),
    {
      encoding: 'cp850',
      delimiter: ';',
      skip_lines: 3,
      header: true,
      columns: ['sku', 'Größe', 'quantity', '', ''],
      mapping: { sku: 'sku', quantity: 'quantity' },
    },
  ],
  [
    'CSV whose columns have one name twice',
    () => 'sku;quantity;Note;Note\nA;1;x;x\n',
    { header: true, columns: ['sku', 'quantity', 'Note', 'Note'] },
  ],
  ['a JSON list', () => '\n [{"sku": "A"}]', { format: 'json' }],
  ['a JSON object', () => '{\n"data": []}', { format: 'json' }],
  [
    'NDJSON',
    () => '{"sku":"A","quantity":1}\n{"sku":"B"}\n',
    { format: 'ndjson', mapping: { sku: 'sku', quantity: 'quantity' } },
  ],
  ['XML', () => '<?xml version="1.0"?><rows/>', { format: 'xml', encoding: 'utf-8' }],
  [
    'XML that declares its encoding',
    () => Buffer.from('<?xml version="1.0" encoding="ISO-8859-15"?><rows><row>Gr\xf6\xdfe</row></rows>', 'latin1'),
    { format: 'xml', encoding: 'utf-8' },
  ],
  ['a workbook', () => makeWorkbook(''), { format: 'xlsx' }],
])('%s is told by its beginning', async ([, content, proposal], { api }) => {
  const body = { upload_id: await upload(api, await content()), target: 'stock' };
  const answer = await callPlatform(api, 'POST', '/io/import-profiles/propose', { body });
  expect([answer.status, answer.body]).toMatchObject([200, proposal]);
});

test('a workbook in the old format is refused with a reason', async ({ api }) => {
  const body = { upload_id: await upload(api, Buffer.from('d0cf11e0a1b11ae1000000', 'hex')) };
  const answer = await callPlatform(api, 'POST', '/io/import-profiles/propose', { body });
  expect(answer).toMatchObject({ status: 422, body: { errors: { upload_id: [expect.stringContaining('(.xls)')] } } });
});

test('a proposed profile imports its file', async ({ api }) => {
  const content = 'Sku;Name\nD-1;Größe\n';
  const { body } = await callPlatform(api, 'POST', '/io/import-profiles/propose', {
    body: { upload_id: await upload(api, content), target: 'products' },
  });
  const { columns: _columns, ...proposed } = body as object as { columns: string[] };
  await makeProfile(api, { name: 'proposed', target: 'products', ...proposed });
  expect(await importFile(api, content, 'proposed')).toMatchObject({ status: 'completed', rows_written: 1 });
});

test.for<[string, object, string]>([
  ['an unknown upload', { upload_id: 999_999 }, 'upload_id'],
  ['an unknown target', { upload_id: 1, target: 'nonsense' }, 'target'],
])('%s is refused', async ([, body, field], { api }) => {
  const answer = await callPlatform(api, 'POST', '/io/import-profiles/propose', { body });
  expect(answer).toMatchObject({ status: 422, body: { errors: { [field]: [expect.any(String)] } } });
});
