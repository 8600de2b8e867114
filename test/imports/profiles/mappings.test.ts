import { describe, expect, vi } from 'vitest';
import { makeWorkbook } from '#test/imports/archives.ts';
import { atSigned, importFile, makeProfile, ran, readRejects, upload } from '#test/imports/import-file.ts';
import { callPlatform } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';

let api: TestApp;
test.beforeAll(async ({ api: started }) => {
  api = started;
  await api.graphql(
    'mutation { createPriceList(input: { code: "base", name: "Base", currency: "EUR" }) { __typename } }',
  );
  await makeProfile(api, { name: 'products', target: 'products' });
  await importFile(api, 'sku,name\nA,Mug\n', 'products');
});

let made = 0;
const profile = (given: object) => makeProfile(api, { name: `Mapping ${(made += 1)}`, ...given });

/** The values and faults of the rows of a file, as the preview shows them. */
async function preview(given: object, content: string): Promise<unknown[]> {
  const { id } = await profile(given);
  const body = { upload_id: await upload(api, content) };
  const answer = await callPlatform(api, 'POST', `/io/import-profiles/${id}/preview`, { body });
  expect([answer.status, answer.body]).toEqual([200, expect.anything()]);
  const rows = answer.body['rows'] as unknown as { values: Record<string, string>; errors: { reason: string }[] }[];
  return rows.map(({ values, errors }) => errors[0]?.reason ?? values);
}

const described = (source: object) => ({
  target: 'products',
  mapping: { sku: 'sku', name: 'name', description: source },
});
const priced = (amount: object, more: object = {}) => ({
  target: 'prices',
  mapping: { list: { value: 'base' }, sku: 'sku', amount, ...more },
});

describe('a field is', () => {
  test.for<[string, object, string, (string | null)[]]>([
    ['replaced', { column: 'd', transforms: [{ replace: '$&.', by: '$1' }] }, 'sku,name,d\nA,n,x$&.y$&.\n', ['x$1y$1']],
    [
      'looked up',
      { column: 'd', transforms: ['upper', { lookup: { R: 'red', __PROTO__: 'x' } }] },
      'sku,name,d\nA,n,r\nB,n,\nC,n,toString\n',
      ['red', null, 'The profile has no entry for this value.'],
    ],
    [
      'looked up with a value for all others',
      { column: 'd', transforms: [{ lookup: { R: 'red' }, otherwise: 'grey' }] },
      'sku,name,d\nA,n,R\nB,n,constructor\n',
      ['red', 'grey'],
    ],
    [
      'joined, without what is empty',
      { columns: ['d', 'e', 'f'], separator: ' / ', transforms: ['upper'] },
      'sku,name,d,e,f\nA,n,x,,z\nB,n,,,\n',
      ['X / Z', null],
    ],
    [
      'computed',
      { columns: ['d', 'Net price'], expression: 'item.d & ": " & $number(item.`Net price`) * 2', default: 'none' },
      'sku,name,d,Net price\nA,n,x,1.25\nB,n,x,many\n',
      ['x: 2.5', expect.stringContaining('The expression failed: ')],
    ],
    [
      'computed from nothing, and has its default',
      { columns: ['d'], expression: 'item.d', default: 'none' },
      'sku,name,d\nA,n,\n',
      ['none'],
    ],
    [
      'no object',
      { columns: ['d'], expression: '{"a": item.d}' },
      'sku,name,d\nA,n,x\n',
      [expect.stringContaining('an object or a list')],
    ],
  ])('%s', async ([, source, content, expected]) => {
    const rows = await preview(described(source), content);
    expect(rows.map((row) => (typeof row === 'string' ? row : (row as { description: string }).description))).toEqual(
      expected,
    );
  });

  test.for<[string, object, string, string]>([
    ['groups and a comma', { decimal: ',', group: '.' }, '"1.234.567,50"', '1234567.50'],
    ['no groups where they may be', { decimal: ',', group: '.' }, '"1234,5"', '1234.5'],
    ['groups of spaces', { decimal: ',', group: '\u202f' }, '12\u202f345', '12345'],
    ['groups in the wrong place', { decimal: ',', group: '.' }, '"12.34,50"', 'Use a number such as 1.234,50.'],
    ['the other form', { decimal: ',', group: '.' }, '"1,234.50"', 'Use a number such as 1.234,50.'],
    ['a number of the profile', { decimal: ',' }, '1.5', 'Use a number such as 1234,50.'],
  ])('a number with %s', async ([, number, cell, expected]) => {
    const rows = await preview(priced({ column: 'p', transforms: [{ number }] }), `sku,p\nA,${cell}\n`);
    expect(rows).toMatchObject([expected.startsWith('Use') ? expected : { amount: expected }]);
  });

  test.for<[string, string, string]>([
    ['DD.MM.YYYY', '31.01.2026', '2026-01-31T00:00:00.000Z'],
    ['D/M/YYYY HH:mm', '1/2/2026 13:05', '2026-02-01T13:05:00.000Z'],
    ['YYYYMMDDTHHmmssZ', '20260131T235959Z', '2026-01-31T23:59:59.000Z'],
    ['DD.MM.YYYY', '2026-01-31', 'Use a date of the form DD.MM.YYYY.'],
    ['DD.MM.YYYY', '30.02.2026', 'Use an instant such as 2026-01-31T00:00:00Z, or a date such as 2026-01-31.'],
  ])('a date of the form %s: %s', async ([date, cell, expected]) => {
    const dated = { valid_from: { column: 'from', transforms: [{ date }] } };
    const rows = await preview(priced({ column: 'p' }, dated), `sku,p,from\nA,1,${cell}\n`);
    expect(rows).toMatchObject([expected.startsWith('Use') ? expected : { valid_from: expected }]);
  });
});

test('a row whose expression fails is rejected', async () => {
  const { name } = await profile(described({ columns: ['d'], expression: '$number(item.d)' }));
  const job = await importFile(api, 'sku,name,d\nCOMP-1,n,7\nCOMP-2,n,x\n', name);
  expect(job).toMatchObject({ status: 'completed', rows_written: 1, rows_rejected: 1 });
  expect(await readRejects(api, job)).toEqual([expect.stringMatching(/^3,d,,"?The expression failed: /)]);
});

test.for([
  ['take long', '$count([1..3000].($ * 2))'],
  ['take long to fail', '$error($string($count([1..3000].($ * 2))))'],
])('a preview whose expressions %s is refused', async ([, expression], { onTestFinished }) => {
  // A hundred times as fast, so that five seconds of computing are a twentieth of one.
  const [now, start] = [performance.now.bind(performance), performance.now()];
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => start + 100 * (now() - start));
  onTestFinished(() => clock.mockRestore());
  const { id } = await profile(described({ columns: ['d'], expression }));
  const body = { upload_id: await upload(api, `sku,name,d\n${'A,n,x\n'.repeat(100)}`) };
  const answer = await callPlatform(api, 'POST', `/io/import-profiles/${id}/preview`, { body });
  expect(answer).toMatchObject({
    status: 422,
    body: { errors: { upload_id: [expect.stringContaining('more than 5 s')] } },
  });
});

describe('columns have numbers instead of names', () => {
  const mapping = { sku: '2', name: { column: '1', transforms: ['trim'] } };
  const unnamed = { target: 'products', header: false, mapping };

  test('in CSV, whose first line is a record, and exports write it the same way', async () => {
    const { name } = await profile({ ...unnamed, quote: "'", delimiter: ';' });
    const content = "'One; two';NUM-1;x\n'It''s \"3\"';NUM-2;x\nshort;NUM-3\n";
    const job = await importFile(api, content, name);
    expect(job).toMatchObject({ status: 'completed', error: null, rows_read: 3, rows_written: 2, rows_rejected: 1 });
    expect(await readRejects(api, job)).toEqual(['3,,,The row has 2 cells and the first row has 3.']);
    const { body } = await callPlatform(api, 'POST', '/io/exports', {
      body: { profile: name, filter: { sku: 'NUM-1' } },
    });
    const { download_url: url } = (await ran(api, Number(body['id']))) as unknown as { download_url: string };
    const file = (await atSigned(api, 'GET', url)).payload;
    expect(file).toBe("'One; two';NUM-1\n");
    expect(await importFile(api, file, name)).toMatchObject({ rows_read: 1, rows_unchanged: 1 });
  });

  test('in a workbook', async () => {
    const { name } = await profile({ ...unnamed, format: 'xlsx', sheet: 'Stock' });
    const row = '<row r="1"><c t="str"><v>Book</v></c><c t="str"><v>NUM-4</v></c></row>';
    expect(await importFile(api, await makeWorkbook(row), name)).toMatchObject({ rows_read: 1, rows_written: 1 });
  });

  test('and a file that lacks a mapped column is refused', async () => {
    const { name } = await profile(unnamed);
    expect(await importFile(api, 'one\n', name)).toMatchObject({
      status: 'failed',
      error: 'The first row has 1 cells, and the profile maps column 2.',
    });
    expect(await importFile(api, '', name)).toMatchObject({ status: 'completed', rows_read: 0 });
  });
});

test('quotes are text if the profile has no quote', async () => {
  const { name } = await profile({ target: 'products', quote: '' });
  expect(await importFile(api, 'sku,name\nQ-1,5" pipe\nQ-2,"open\n', name)).toMatchObject({
    rows_written: 2,
    error: null,
  });
  const exported = await callPlatform(api, 'POST', '/io/exports', { body: { profile: name } });
  expect(exported).toMatchObject({
    status: 422,
    body: { errors: { profile: [expect.stringContaining('need a quote')] } },
  });
});

test('an export writes the format of its profile, with the numbers and codes of the file', async () => {
  await api.graphql('mutation { createProduct(input: { sku: "REV-1", name: "Mug" }) { __typename } }');
  const lookup = { lookup: { 'Cup no. 1': 'REV-1', '=2': 'REV-2' } };
  const number = { number: { decimal: ',', group: '.' } };
  const { name } = await profile({
    target: 'prices',
    delimiter: ';',
    mapping: {
      list: { value: 'base' },
      sku: { column: 'Article', transforms: [lookup] },
      amount: { column: 'Price', transforms: [number] },
    },
  });
  expect(await importFile(api, 'Article;Price\nCup no. 1;1.234,50\n', name)).toMatchObject({ rows_written: 1 });
  const { body } = await callPlatform(api, 'POST', '/io/exports', {
    body: { profile: name, filter: { sku: 'REV-1' } },
  });
  const { download_url: url } = (await ran(api, Number(body['id']))) as unknown as { download_url: string };
  const file = (await atSigned(api, 'GET', url)).payload;
  expect(file).toBe('Article;Price\nCup no. 1;1234,50\n');
  expect(await importFile(api, file, name)).toMatchObject({ rows_read: 1, rows_unchanged: 1 });
});

describe('a profile is refused', () => {
  const sku = { sku: 'a', quantity: 'b' };
  test.for<[string, object, string]>([
    [
      'with an expression that does not parse',
      { mapping: { ...sku, location: { columns: ['c'], expression: '1 +' } } },
      'mapping.location',
    ],
    [
      'with an expression of secrets',
      { mapping: { ...sku, location: { columns: ['c'], expression: 'secrets.KEY' } } },
      'mapping.location',
    ],
    [
      'with an expression of no columns',
      { mapping: { ...sku, location: { columns: [], expression: '1' } } },
      'mapping.location',
    ],
    [
      'with a date form without a day',
      { mapping: { ...sku, location: { column: 'c', transforms: [{ date: 'MM.YYYY' }] } } },
      'mapping.location',
    ],
    [
      'with a date form that has a part twice',
      { mapping: { ...sku, location: { column: 'c', transforms: [{ date: 'DD.MM.YYYY D' }] } } },
      'mapping.location',
    ],
    [
      'with one separator for groups and decimals',
      { mapping: { ...sku, location: { column: 'c', transforms: [{ number: { decimal: '.', group: '.' } }] } } },
      'mapping.location',
    ],
    ['with a quote that is the delimiter', { quote: ';', delimiter: ';' }, 'quote'],
    ['with a letter for a quote', { quote: 'q' }, 'quote'],
    ['without a header and a mapping', { header: false }, 'mapping'],
    ['without a header and with names', { header: false, mapping: { sku: '1', quantity: 'b' } }, 'mapping.quantity'],
  ])('%s', async ([, given, field]) => {
    const body = { name: 'Refused', target: 'stock', format: 'csv', ...given };
    const answer = await callPlatform(api, 'POST', '/io/import-profiles', { body });
    expect([answer.status, Object.keys(answer.body['errors'] ?? {})]).toEqual([
      422,
      [expect.stringMatching(`^${field}`)],
    ]);
  });

  test.for<[string, object]>([
    ['a joined column', { columns: ['a', 'b'] }],
    ['an expression', { columns: ['a'], expression: 'item.a' }],
    ['a replacement', { column: 'a', transforms: [{ replace: 'a', by: 'b' }] }],
    ['two codes of one value', { column: 'a', transforms: [{ lookup: { a: 'x', b: 'x' } }] }],
  ])('for an export that would have to reverse %s', async ([, source]) => {
    const { name } = await profile(described(source));
    const answer = await callPlatform(api, 'POST', '/io/exports', { body: { profile: name } });
    expect([answer.status, Object.keys(answer.body['errors'] ?? {})]).toEqual([422, ['mapping.description']]);
  });
});
