import { describe, expect } from 'vitest';
import { importFile, makeProfile, readRejects, upload } from '#test/imports/import-file.ts';
import { callPlatform } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';

let api: TestApp;
test.beforeAll(({ api: started }) => {
  api = started;
});

const post = (body: object) => callPlatform(api, 'POST', '/io/import-profiles', { body });

describe('an import profile', () => {
  test('is created with defaults, changed, listed and deleted', async () => {
    const made = await makeProfile(api, { name: 'Plain' });
    expect(made).toEqual({
      id: expect.any(Number),
      name: 'Plain',
      target: 'stock',
      format: 'csv',
      mapping: null,
      record_path: null,
      namespaces: null,
      sheet: null,
      delimiter: ',',
      quote: '"',
      header: true,
      skip_lines: 0,
      encoding: 'utf-8',
      decimal_separator: '.',
      quantity_basis: 'physical',
      mode: 'full',
      absent: 'keep',
      as_of: null,
      max_rejected: null,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    const path = `/io/import-profiles/${made.id}`;
    const changes = {
      delimiter: ';',
      namespaces: { g: 'urn:g' },
      mapping: { sku: 'Artikel', quantity: 'Menge' },
      as_of: '2026-01-31T00:00:00Z',
    };
    const { body } = await callPlatform(api, 'PATCH', path, { body: changes });
    expect(body).toMatchObject({ ...changes, as_of: '2026-01-31T00:00:00.000Z', name: 'Plain' });
    expect(
      (await callPlatform(api, 'PATCH', path, { body: { mapping: null, namespaces: null, as_of: null } })).body,
    ).toMatchObject({
      mapping: null,
      namespaces: null,
      as_of: null,
      delimiter: ';',
    });
    expect((await callPlatform(api, 'GET', '/io/import-profiles?order=name.asc')).body).toMatchObject({ total: 1 });
    expect((await callPlatform(api, 'DELETE', path)).status).toBe(204);
    expect((await callPlatform(api, 'GET', path)).status).toBe(404);
  });

  test.for<[string, object, string]>([
    ['a name twice', { name: 'Taken' }, 'name'],
    ['an unknown target', { target: 'weather' }, 'target'],
    ['an unknown format', { format: 'pdf' }, 'format'],
    ['a required field that is not mapped', { mapping: { sku: 'Article' } }, 'mapping.quantity'],
    ['a field that the target does not have', { mapping: { sku: 'a', quantity: 'b', colour: 'c' } }, 'mapping.colour'],
    ['a mapping that names no column', { mapping: { sku: {}, quantity: 'b' } }, 'mapping.sku'],
    ['an unknown transform', { mapping: { sku: { column: 'a', transforms: ['eval'] }, quantity: 'b' } }, 'mapping.sku'],
    ['a step of XML that is none', { format: 'xml', record_path: 'rows..row' }, 'record_path'],
    ['a list at the end of a path', { format: 'json', record_path: 'items[]' }, 'record_path'],
    ['a parent that is not there', { format: 'json', mapping: { sku: '../sku', quantity: 'q' } }, 'mapping.sku'],
    ['a parent in CSV', { mapping: { sku: '../sku', quantity: 'q' } }, 'mapping.sku'],
    ['a choice that is none', { format: 'xml', mapping: { sku: 'id[@type]', quantity: 'q' } }, 'mapping.sku'],
    [
      'a prefix without a namespace',
      { format: 'xml', namespaces: { g: 'urn:g' }, mapping: { sku: 'x:id', quantity: 'q' } },
      'mapping.sku',
    ],
    ['a prefix that is none', { namespaces: { 'a:b': 'urn:g' } }, 'namespaces.a:b'],
    ['a delimiter of two characters', { delimiter: '::' }, 'delimiter'],
    ['an unknown encoding', { encoding: 'ebcdic' }, 'encoding'],
    ['a negative number of lines', { skip_lines: -1 }, 'skip_lines'],
    ['an invalid timestamp', { as_of: 'yesterday' }, 'as_of'],
  ])('is refused with %s', async ([, given, field]) => {
    await post({ name: 'Taken', target: 'stock', format: 'csv' });
    const { status, body } = await post({ name: 'New', target: 'stock', format: 'csv', ...given });
    expect([status, Object.keys(body['errors'] ?? {})]).toEqual([422, [field]]);
  });

  test.for([
    ['ISO-8859-15', 'iso-8859-15'],
    ['latin1', 'windows-1252'],
    ['Mac-Roman', 'macintosh'],
    ['IBM850', 'cp850'],
  ])('takes the encoding %s by its usual names, as %s', async ([given, encoding]) => {
    expect(await makeProfile(api, { name: given, encoding: given })).toMatchObject({ encoding });
  });

  test('previews the values and the faults of each row of a file', async () => {
    await makeProfile(api, { name: 'Products', target: 'products' });
    const { id } = await makeProfile(api, {
      name: 'Preview',
      delimiter: ';',
      decimal_separator: ',',
      mapping: {
        sku: { column: 'Artikel', transforms: ['trim', 'upper', 'strip_leading_zeros'] },
        location: { value: 'annex' },
        quantity: { column: 'Menge', default: '0' },
      },
    });
    await importFile(api, 'sku,name\nAB1,Mug\nX,Mug\nY,Mug\n', 'Products');
    const uploadId = await upload(api, 'Artikel;Menge;__proto__\n 00ab1 ;12,50;x\nX;1.5;x\nY;;x\n');
    const preview = (body: object) => callPlatform(api, 'POST', `/io/import-profiles/${id}/preview`, { body });
    expect((await preview({ upload_id: uploadId })).body).toEqual({
      rows: [
        { line: 2, values: { sku: 'AB1', location: 'annex', quantity: '12.50' }, errors: [] },
        {
          line: 3,
          values: { sku: 'X', location: 'annex', quantity: null },
          errors: [{ column: 'Menge', reason: 'Use digits with at most one comma, such as 12,50.' }],
        },
        { line: 4, values: { sku: 'Y', location: 'annex', quantity: '0' }, errors: [] },
      ],
    });
    expect((await preview({ upload_id: uploadId, rows: 1 })).body['rows']).toHaveLength(1);
    expect(await preview({ upload_id: 999_999 })).toMatchObject({
      status: 422,
      body: { errors: { upload_id: [expect.any(String)] } },
    });
    const other = await upload(api, 'sku;quantity\n1;2\n');
    expect((await preview({ upload_id: other })).body).toMatchObject({
      errors: {
        upload_id: ['The header lacks "Artikel", "Menge", which the profile maps. It has sku, quantity.'],
      },
    });
  });

  test('previews the rows that the import would reject, and changes nothing', async () => {
    const count = async () => {
      const { rows } = await api.database.system.query<{ many: number }>(
        `SELECT (SELECT count(*) FROM stock_movements) + (SELECT count(*) FROM import_rows WHERE job_id < 0) AS many`,
      );
      return rows[0]?.many;
    };
    await makeProfile(api, { name: 'Known', target: 'products' });
    await importFile(api, 'sku,name\nKNOWN,Mug\n', 'Known');
    const before = await count();
    const cases: [string, object, string, string[]][] = [
      [
        'Stock',
        { mapping: { sku: 'Article', quantity: 'Count' } },
        'Article,Count\nKNOWN,1\nUNKNOWN,1\nKNOWN,2\nKNOWN,x\n',
        ['3,Article', '4,location', '5,Count'],
      ],
      ['Changes', { mode: 'delta' }, 'sku,quantity\nKNOWN,1\nKNOWN,1\nKNOWN,-9\nUNKNOWN,1\n', ['4,quantity', '5,sku']],
      ['Prices', { target: 'prices' }, 'list,sku,amount\nNone,KNOWN,1\n', ['2,list']],
      ['Contacts', { target: 'contacts' }, 'customer_number,email\nNone,a@example.com\n', ['2,customer_number']],
    ];
    for (const [name, profile, file, rejected] of cases) {
      const { id } = await makeProfile(api, { name, ...profile });
      const { status, body } = await callPlatform(api, 'POST', `/io/import-profiles/${id}/preview`, {
        body: { upload_id: await upload(api, file) },
      });
      expect(status).toBe(200);
      const rows = body['rows'] as unknown as { line: number; errors: { column: string | null; reason: string }[] }[];
      const flagged = rows.flatMap(({ line, errors }) => errors.map((each) => ({ line, ...each })));
      expect(flagged.map(({ line, column }) => `${line},${column}`)).toEqual(rejected);
      expect(await count()).toBe(before);
      const job = await importFile(api, file, name, { dryRun: true });
      const reasons = (await readRejects(api, job)).map((line) => line.replaceAll('"', ''));
      expect(reasons.length).toBe(flagged.length);
      for (const { line, reason } of flagged)
        expect(reasons.some((each) => each.startsWith(`${line},`) && each.endsWith(reason))).toBe(true);
    }
  });

  test('is refused with the encoding of the file if it has another', async () => {
    const { id } = await makeProfile(api, { name: 'Narrow', target: 'products', encoding: 'cp850' });
    const { body } = await callPlatform(api, 'POST', `/io/import-profiles/${id}/preview`, {
      body: { upload_id: await upload(api, `sku,name\nA,Größe\n${'B,x\n'.repeat(200)}`) },
    });
    expect(body['errors']).toEqual({ upload_id: [expect.stringContaining('The file is in utf-8')] });
  });
});
