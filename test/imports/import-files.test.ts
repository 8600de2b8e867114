import { once } from 'node:events';
import { Readable } from 'node:stream';
import { Worker } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';
import { describe, expect } from 'vitest';
import { productImportTarget } from '#src/commerce/products/products.targets.ts';
import { readFileRows } from '#src/imports/profiles/file-rows.service.ts';
import { keptProfile } from '#src/imports/profiles/profiles.inputs.ts';
import { createRowReader } from '#src/imports/profiles/row-reader.rules.ts';
import { callPlatform } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { computesLong } from '#test/setup/timeouts.ts';
import { withFlippedBit, makeZip } from './archives.ts';
import { importFile, makeProfile, readRejects } from './import-file.ts';

let api: TestApp;
test.beforeAll(async ({ api: started }) => {
  api = started;
  await makeProfile(api, { name: 'products', target: 'products' });
  for (const encoding of ['utf-16le', 'utf-16be', 'windows-1252', 'cp850'])
    await makeProfile(api, { name: encoding, target: 'products', encoding });
});

const names = async (): Promise<Record<string, string>> => {
  const { body } = await callPlatform(api, 'GET', '/products?limit=100');
  return Object.fromEntries(
    (body['items'] as unknown as { sku: string; name: string }[]).map(({ sku, name }) => [sku, name]),
  );
};

const text = 'sku,name\nCUP,Größe “L”\n';

describe('a file of products', () => {
  test.for<[string, string, Buffer]>([
    ['UTF-8', 'products', Buffer.from(text)],
    ['UTF-8 with a byte-order mark', 'products', Buffer.from(`\ufeff${text}`)],
    ['UTF-16 of Windows', 'utf-16le', Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['UTF-16, big end first', 'utf-16be', Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
    ['Windows-1252', 'windows-1252', Buffer.from('sku,name\nCUP,Gr\xf6\xdfe \x93L\x94\n', 'latin1')],
    ['gzip', 'products', gzipSync(text)],
    ['rows that end as old Macs end them', 'products', Buffer.from(text.replaceAll('\n', '\r'))],
    ['a column twice that is not read', 'products', Buffer.from('sku,name,Note,Note\nCUP,Größe “L”,x,y\n')],
    ['cells in quotes', 'products', Buffer.from('"sku","name"\n"CUP","Größe “L”"')],
  ])('is read in %s', async ([, profile, content]) => {
    await importFile(api, 'sku,name\nCUP,before\n', 'products');
    expect(await importFile(api, content, profile)).toMatchObject({
      status: 'completed',
      error: null,
      rows_written: 1,
    });
    expect((await names())['CUP']).toBe('Größe “L”');
  });

  test('creates new products, changes those that differ, and keeps fields that it leaves empty', async () => {
    const first = await importFile(
      api,
      'sku,name,description,active\nNEW-1,"One, ""quoted""\nin two lines",Kept,false\nNEW-2,Back\\slash\t{x},,\n',
      'products',
    );
    expect(first).toMatchObject({ rows_read: 2, rows_written: 2 });
    const second = await importFile(
      api,
      'sku,name,description,active\nNEW-1,Renamed,,\nNEW-2,Back\\slash\t{x},,true\nNEW-3,Three,,yes\n',
      'products',
    );
    expect(second).toMatchObject({ rows_read: 3, rows_written: 1, rows_unchanged: 1, rows_rejected: 1 });
    expect(await readRejects(api, second)).toEqual(['4,active,yes,Use true or false.']);
    const { body } = await callPlatform(api, 'GET', '/products?search=NEW-');
    expect(body['items']).toEqual([
      expect.objectContaining({ sku: 'NEW-1', name: 'Renamed', description: 'Kept', active: false }),
      expect.objectContaining({ sku: 'NEW-2', name: 'Back\\slash\t{x}', description: null, active: true }),
    ]);
    const { rows } = await api.database.system.query<{ topic: string; data: { sku: string } }>(
      `SELECT topic, data FROM outbox_events WHERE data ->> 'sku' LIKE 'NEW-%' ORDER BY id`,
    );
    expect(rows.map(({ topic, data }) => [topic, data.sku])).toEqual([
      ['product.created', 'NEW-1'],
      ['product.created', 'NEW-2'],
      ['product.updated', 'NEW-1'],
    ]);
    expect(rows[2]?.data).toEqual((body['items'] as unknown as object[])[0]);
  });

  test('cannot create products that lack a required attribute', async () => {
    const define = (required: boolean) =>
      api.graphql<{ createAttribute: { attribute: { id: string } } }>(
        `mutation ($r: Boolean!) { createAttribute(input: { target: PRODUCT, code: "material", label: "Material", type: TEXT, required: $r }) { __typename ... on CreateAttributePayload { attribute { id } } } }`,
        { r: required },
      );
    const { data } = await define(true);
    const { id } = data.createAttribute.attribute;
    const job = await importFile(api, 'sku,name\nLACKING,x\nCUP,Changed\n', 'products');
    expect(job).toMatchObject({ rows_written: 0, rows_rejected: 2 });
    const reason = '"It has no value of a required attribute (material). Set it over the API first."';
    expect(await readRejects(api, job)).toEqual([2, 3].map((line) => `${line},,,${reason}`.replaceAll('"', '')));
    await api.graphql('mutation ($id: ID!) { deleteAttribute(input: { id: $id }) { __typename } }', { id });
  });
});

describe('nothing is written from a file', async () => {
  const stored = await makeZip({ 'products.csv': 'sku,name\nBAD,100\n' }, { compress: false });
  const long = `sku,name\nBIG,"${'x'.repeat(2_000_000)}"\n`;
  test.for<[string, string, Buffer | string, string]>([
    ['without a header', 'products', '', 'The file has no header. Its first line must name the columns.'],
    [
      'without a column that is needed',
      'products',
      'sku,title\nBAD,x\n',
      'The header lacks "name", which the profile maps. It has sku, title.',
    ],
    ['with a column twice', 'products', 'sku,name,name\nBAD,x,y\n', 'The header names the column "name" twice.'],
    [
      'with a quote that is not closed',
      'products',
      'sku,name\nBAD,x\nBAD-2,"open\nBAD-3,y\n',
      'A quote is not closed in the row that begins in line 3: the file may be cut short.',
    ],
    [
      'in another encoding',
      'products',
      Buffer.from('sku,name\nBAD,Gr\xf6\xdfe\n', 'latin1'),
      'The file is not in the encoding utf-8: see the bytes from 0 on. It looks like windows-1252: set "encoding" to that in the profile, or send it in utf-8.',
    ],
    [
      'in UTF-16 without a mark, which is UTF-8 with NULs',
      'products',
      Buffer.from('sku,name\nBAD,x\n', 'utf16le'),
      'The header holds NULs, as text in UTF-16 does. Set "encoding" to utf-16le in the profile.',
    ],
    [
      'from an archive that is empty',
      'products',
      Buffer.from(`PK\u0005\u0006${'\0'.repeat(18)}`),
      'The archive has 0 files. Send one with a single file.',
    ],
    [
      'with a cell of two megabytes',
      'products',
      long,
      'More than 1048576 bytes are one row in the row that begins in line 2: a quote may not be closed.',
    ],
    [
      'in an archive with a changed byte',
      'products',
      withFlippedBit(stored, '100'),
      'The archive is damaged: the checksum of its file products.csv is wrong. Send it again.',
    ],
    [
      'whose archive is cut short',
      'products',
      gzipSync(`sku,name\n${'BAD,x\n'.repeat(1_000)}`).subarray(0, -12),
      'The gzip archive is damaged or cut short.',
    ],
  ])('%s', async ([, profile, content, error]) => {
    const before = await names();
    const job = await importFile(api, content, profile);
    expect(job).toMatchObject({ status: 'failed', error, rows_written: 0 });
    expect(await names()).toEqual(before);
    const { rows } = await api.database.system.query(
      `SELECT topic, data ->> 'error' AS error FROM outbox_events WHERE topic LIKE 'import.%' ORDER BY id DESC LIMIT 1`,
    );
    expect(rows).toEqual([{ topic: 'import.failed', error }]);
  });

  test('that has a NUL in a cell, for that row', async () => {
    const job = await importFile(api, 'sku,name\nNUL,a\0b\n', 'products');
    expect(job).toMatchObject({ status: 'completed', rows_rejected: 1, rows_written: 0 });
    expect(await readRejects(api, job)).toEqual(['2,name,a�b,Text must not hold NUL characters.']);
  });

  test('that unpacks to ten gigabytes, of which a small part is held', computesLong, async () => {
    const part = gzipSync(Buffer.alloc(2 ** 24));
    const zeros = Buffer.concat(Array.from({ length: 640 }, () => part));
    expect(zeros.length).toBeLessThan(11 * 2 ** 20);
    const before = process.resourceUsage().maxRSS;
    expect(await importFile(api, zeros, 'products')).toMatchObject({
      status: 'failed',
      error: 'More than 1048576 bytes are one row in the row that begins in line 1: a quote may not be closed.',
    });
    // In a thread: each 64 MB of chunks have its heap collected, and that of the product takes 0.1 s.
    const thread = new Worker(new URL('unpacking.ts', import.meta.url), { workerData: zeros });
    const [{ unpacked, fault }] = (await once(thread, 'message')) as [{ unpacked: number; fault: string }];
    expect(fault).toContain('The file unpacks to more than 1073741824 bytes. Send it in parts.');
    expect(unpacked).toBeGreaterThan(2 ** 30 - 2 ** 20);
    expect(unpacked).toBeLessThanOrEqual(2 ** 30);
    expect((process.resourceUsage().maxRSS - before) / 1_024).toBeLessThan(256);
  });

  test('of a million and one rows', computesLong, async () => {
    const line = 'A,Mug\n'.repeat(10_000);
    function* file(rows: number): Generator<Buffer> {
      yield Buffer.from('sku,name\n');
      for (let n = 0; n < rows; n += 10_000) yield Buffer.from(line.slice(0, (rows - n) * 6));
    }
    const asSent = { mapping: null, recordPath: null, sheet: null, asOf: null };
    const text = { format: 'csv', delimiter: ',', encoding: 'utf-8', decimalSeparator: '.' };
    const profile = keptProfile.parse({
      ...asSent,
      ...text,
      quantityBasis: 'physical',
      mode: 'full',
      absent: 'keep',
    });
    const reader = createRowReader(productImportTarget, profile);
    const readRows = async (rows: number): Promise<number> => {
      const { key } = await api.deps.storage.put(Readable.from(file(rows)), { maxBytes: 2 ** 30 });
      let read = 0;
      for await (const batch of readFileRows(api.deps.storage, { key, profile, reader })) read += batch.length;
      return read;
    };
    expect(await readRows(1_000_000)).toBe(1_000_000);
    await expect(readRows(1_000_001)).rejects.toThrow('The file has more than 1000000 rows. Send it in parts.');
  });
});
