import { describe, expect } from 'vitest';
import { withSize, makeWorkbook, makeZip } from '#test/imports/archives.ts';
import { importFile, makeProfile, readRejects, upload } from '#test/imports/import-file.ts';
import { callPlatform } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { computesLong } from '#test/setup/timeouts.ts';

let api: TestApp;
let priceProfile: number;
test.beforeAll(async ({ api: started }) => {
  api = started;
  await makeProfile(api, { name: 'csv', target: 'products' });
  await makeProfile(api, { name: 'products', target: 'products', format: 'xlsx', sheet: 'Stock' });
  await makeProfile(api, { name: 'first sheet', target: 'products', format: 'xlsx' });
  await makeProfile(api, { name: 'no sheet', target: 'products', format: 'xlsx', sheet: 'Prices' });
  const { id } = await makeProfile(api, { name: 'prices', target: 'prices', format: 'xlsx', sheet: 'Stock' });
  priceProfile = id;
  await api.graphql(
    'mutation { createPriceList(input: { code: "EU", name: "Europe", currency: "EUR" }) { __typename } }',
  );
});

const header = '<row r="2"><c r="A2" t="inlineStr"><is><t>sku</t></is></c><c r="C2" t="str"><v>name</v></c></row>';

describe('a workbook', () => {
  test('is read by the name of its sheet, as the texts that its cells show', async () => {
    const content = await makeWorkbook(
      `${header}
       <row r="4"><c r="A4" t="s"><v>0</v></c><c r="C4" t="s"><v>1</v></c></row>
       <row><c r="A5"><v>4711</v></c><c r="B5" t="b"><v>1</v></c><c r="C5" t="str"><f>1+1</f><v>by formula</v></c></row>
       <row r="6"/>
       <row r="7"><c r="A7" t="e"><v>#REF!</v></c><c r="C7" t="s"><v>1</v></c></row>
       <row r="8"><c r="C8" t="s"><v>9</v></c></row>`,
      {
        strings: `<si><t>W-1</t></si><si><r><t xml:space="preserve">'=Rich </t></r><r><t>_x0041_&amp;<![CDATA[B]]></t></r><rPh><t>hint</t></rPh></si>`,
      },
    );
    const job = await importFile(api, content, 'products');
    expect(job).toMatchObject({ status: 'completed', error: null, rows_read: 4, rows_written: 2, rows_rejected: 2 });
    expect(await readRejects(api, job)).toEqual([
      '7,sku,,The cell has the error #REF!.',
      '8,sku,,A value is needed.',
      '8,name,,The text of the cell is missing from the workbook.',
    ]);
    const { items } = (await callPlatform(api, 'GET', '/products')).body;
    expect(items).toMatchObject([
      { sku: '4711', name: 'by formula' },
      { sku: 'W-1', name: '=Rich A&B' },
    ]);
  });

  test.for<[string, string, object]>([
    [
      'numbers by their digits',
      '<c r="B3"><v>1E-3</v></c><c r="C3" s="3"><v>9.50</v></c>',
      { quantity_from: '0.001', amount: '9.50' },
    ],
    ['dates', '<c r="C3"><v>1</v></c><c r="D3" s="1"><v>46023</v></c>', { valid_from: '2026-01-01T00:00:00.000Z' }],
    [
      'moments',
      '<c r="C3"><v>1</v></c><c r="D3" s="4"><v>46023.75</v></c>',
      { valid_from: '2026-01-01T18:00:00.000Z' },
    ],
    [
      'dates of its own format',
      '<c r="C3"><v>1</v></c><c r="D3" s="2"><v>46023</v></c>',
      { valid_from: '2026-01-01T00:00:00.000Z' },
    ],
    [
      'dates as text',
      '<c r="C3"><v>1</v></c><c r="D3" t="d"><v>2026-01-01</v></c>',
      { valid_from: '2026-01-01T00:00:00.000Z' },
    ],
  ])('has %s', async ([, cells, values]) => {
    await importFile(api, 'sku,name\nW-1,Mug\n', 'csv');
    const names = ['list', 'quantity_from', 'amount', 'valid_from', 'sku'];
    const head = names.map((name) => `<c t="inlineStr"><is><t>${name}</t></is></c>`).join('');
    const content = await makeWorkbook(
      `<row>${head}</row><row r="3"><c r="A3" t="str"><v>EU</v></c>${cells}<c r="E3" t="str"><v>W-1</v></c></row>`,
    );
    const { body } = await callPlatform(api, 'POST', `/io/import-profiles/${priceProfile}/preview`, {
      body: { upload_id: await upload(api, content) },
    });
    expect(body['rows']).toMatchObject([{ line: 3, values, errors: [] }]);
  });

  test.for<[string, string, () => Promise<Buffer> | Buffer, RegExp]>([
    ['a sheet that is not there', 'no sheet', () => makeWorkbook(header), /no sheet "Prices". It has "Notes", "Stock"/],
    ['an empty sheet', 'first sheet', () => makeWorkbook(header), /no header/],
    [
      'a header that lacks a column',
      'products',
      () => makeWorkbook('<row><c t="str"><v>sku</v></c></row>'),
      /lacks "name"/,
    ],
    [
      'text',
      'products',
      () => Buffer.from('sku,name\n'),
      /^The file is not a workbook \(\.xlsx\), whatever it is named/,
    ],
    ['another archive', 'products', () => makeZip({ 'a.csv': 'sku,name\n' }), /not a workbook/],
    [
      'text that is not UTF-8',
      'products',
      () => makeZip({ 'xl/workbook.xml': Buffer.from('<workbook>\xff</workbook>', 'latin1') }),
      /damaged or cut short/,
    ],
    ['a cut archive', 'products', async () => (await makeWorkbook(header)).subarray(0, 900), /damaged or cut short/],
    ['XML with a DOCTYPE', 'products', () => makeWorkbook('<!DOCTYPE a><row/>'), /doctype/],
    [
      'a cell out of the sheet',
      'products',
      () => makeWorkbook('<row><c r="ZZZZ1"><v>1</v></c></row>'),
      /outside of the sheet/,
    ],
    [
      'a cell of many characters',
      'products',
      () => makeWorkbook(`<row><c t="str"><v>${'x'.repeat(70_000)}</v></c></row>`),
      /more than 65536 characters/,
    ],
    [
      'many empty texts',
      'products',
      // Each counts as 16 characters. Most of what is allowed is taken up by long texts, which are read in less time than as many empty ones.
      () =>
        makeWorkbook(header, { strings: `<si><t>${'x'.repeat(2 ** 20)}</t></si>`.repeat(63) + '<si/>'.repeat(65_500) }),
      /more than 67108864 characters of text/,
    ],
    [
      'an archive that unpacks to more than a gibibyte',
      'products',
      async () => withSize(await makeWorkbook(header), 2 ** 30 + 1),
      /unpacks to more than 1073741824 bytes/,
    ],
    [
      'an archive that unpacks to more than it says',
      'products',
      async () => withSize(await makeWorkbook(header), 5),
      /damaged or cut short/,
    ],
  ])('writes nothing from %s', computesLong, async ([, profile, content, error]) => {
    const job = await importFile(api, await content(), profile);
    expect(job).toMatchObject({ status: 'failed', rows_written: 0, error: expect.stringMatching(error) });
  });
});

describe('a zip archive', () => {
  test('is read as the one file that it holds', async () => {
    const content = await makeZip({ 'deep/file.csv': 'sku,name\nZ-1,Zipped\n', '__MACOSX/deep/._file.csv': 'x' });
    expect(await importFile(api, content, 'csv')).toMatchObject({ status: 'completed', rows_written: 1 });
  });

  test.for<[string, () => Promise<Buffer>, RegExp]>([
    ['two files', () => makeZip({ 'a.csv': 'sku,name\n', 'b.csv': 'sku,name\n' }), /has 2 files/],
    [
      'the files of a workbook',
      () => makeWorkbook(header),
      /^The file is a workbook \(xlsx\), and the profile reads csv\. Use a profile that reads xlsx, or send the file as csv\.$/,
    ],
    ['a bomb', async () => withSize(await makeZip({ 'a.csv': 'sku,name\n' }), 2 ** 31), /unpacks to more than/],
  ])('with %s is refused', async ([, content, error]) => {
    const job = await importFile(api, await content(), 'csv');
    expect(job).toMatchObject({ status: 'failed', error: expect.stringMatching(error), rows_written: 0 });
  });
});
