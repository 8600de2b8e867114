import { describe, expect } from 'vitest';
import { takeUpJobs } from '#src/imports/bulk-jobs/wake-jobs.service.ts';
import { sweepExports } from '#src/imports/exports/export-results.service.ts';
import type { Storage } from '#src/infra/storage/storage.ts';
import { createShop } from '#test/commerce/shop.ts';
import {
  atSigned,
  ended,
  type Job,
  importFile,
  makeProfile,
  makeTenant,
  ran,
  startImportWorker,
} from '#test/imports/import-file.ts';
import { callPlatform } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { runBulkJob } from '#workers/imports/bulk-jobs.worker.ts';

const files = {
  products: [
    'sku,name,description,active',
    'F-1,Größe „L“,"two\nlines; ""quoted"", and, more",true',
    `F-2,'=1+1,'\t@tab,false`,
    `F-3,''-3,,true`,
  ],
  organizations: ['customer_number,name,payment_terms', 'C-1,A & <B>,30 days', `C-2,'@handle,`],
  contacts: [
    'customer_number,email,first_name,last_name,role',
    'C-1,ann@example.com,Ann,,buyer',
    'C-2,bo@example.com,,,',
  ],
  prices: [
    'list,sku,quantity_from,amount,currency,valid_from,valid_until',
    'EU,F-1,1,10.00,EUR,,',
    'EU,F-1,10,9.5,EUR,2026-01-01T00:00:00.000Z,2027-01-01T00:00:00.000Z',
    'EU,F-2,0.5,0.0001,EUR,,',
  ],
  stock: ['sku,location,quantity', 'F-1,hall,12.5', 'F-1,main,3', 'F-2,main,0'],
};
type Target = keyof typeof files;
const targets = Object.keys(files) as Target[];
const fileText = (target: Target): string => `${files[target].join('\n')}\n`;

/** Everything that the files have, imported. */
async function fill(api: TestApp): Promise<void> {
  const eu = 'createPriceList(input: { code: "EU", name: "Europe", currency: "EUR" }) { __typename }';
  await api.graphql(`mutation { ${eu} }`);
  for (const target of targets) {
    await makeProfile(api, { name: target, target });
    const { rows_rejected: rejected, status } = await importFile(api, fileText(target), target);
    expect([target, status, rejected]).toEqual([target, 'completed', 0]);
  }
  // Counting what was never there books nothing.
  const moved = { sku: 'F-2', reference: 'moved', quantity: '1' };
  await createShop(api).book({ ...moved, kind: 'receipt' });
  await createShop(api).book({ ...moved, kind: 'issue', reference: 'moved back' });
}

const start = (api: TestApp, body: object, tenant = 'acme-shop') =>
  callPlatform(api, 'POST', '/io/exports', { tenant, body });

interface Export extends Job {
  kind: string;
  target: string;
  profile: string | null;
  download_url: string | null;
}

async function exported(api: TestApp, body: object): Promise<{ job: Export; bytes: Buffer }> {
  const started = await start(api, body);
  expect([started.status, started.body]).toEqual([202, expect.objectContaining({ kind: 'export' })]);
  const job = (await ran(api, started.body['id'] as never)) as Export;
  expect([job.status, job.error]).toEqual(['completed', null]);
  const file = await atSigned(api, 'GET', job.download_url as string);
  expect(file.statusCode).toBe(200);
  return { job, bytes: file.rawPayload };
}

describe('an export', () => {
  let api: TestApp;
  test.beforeAll(async ({ api: started }) => {
    api = started;
    await fill(api);
  });

  test.for(targets)('of %s has the fields by key, in the bytes that were imported', async (target) => {
    const { job, bytes } = await exported(api, { target, format: 'csv' });
    expect(bytes.toString()).toBe(fileText(target));
    const rows = files[target].length - 1;
    expect(job).toMatchObject({ target, profile: null, progress: 1, rows_read: rows, rows_written: rows });
  });

  const forms: [string, object][] = [
    ['CSV with other signs', { format: 'csv', delimiter: ';', decimal_separator: ',' }],
    ['CSV in UTF-16', { format: 'csv', delimiter: '\t', encoding: 'utf-16le' }],
    ['CSV in windows-1252', { format: 'csv', encoding: 'windows-1252' }],
    ['CSV of old Macs below lines', { format: 'csv', encoding: 'macintosh', skip_lines: 2 }],
    ['XLSX below rows', { format: 'xlsx', skip_lines: 3 }],
    ['JSON', { format: 'json', decimal_separator: ',' }],
    ['JSON within a path', { format: 'json', record_path: 'data.items' }],
    ['NDJSON', { format: 'ndjson' }],
    ['XML', { format: 'xml' }],
    ['XLSX', { format: 'xlsx', sheet: 'Sheet of it', decimal_separator: ',' }],
    ['XML in UTF-16', { format: 'xml', encoding: 'utf-16be', record_path: 'shop.records.record' }],
  ];
  // Encodings and paths treat the texts and numbers of all targets alike.
  const variants = new Set([
    'CSV in UTF-16',
    'CSV in windows-1252',
    'CSV of old Macs below lines',
    'XLSX below rows',
    'JSON within a path',
    'XML in UTF-16',
  ]);
  test.for(forms)('as %s is imported back, and changes nothing', async ([name, form]) => {
    for (const target of variants.has(name) ? (['products', 'prices'] as const) : targets) {
      const profile = await makeProfile(api, { name: `${name} ${target}`, target, ...form });
      const { job, bytes } = await exported(api, { profile: profile.name });
      // Files are made alike, which the form decides and not the target.
      if (target === 'products')
        expect((await exported(api, { profile: profile.name })).bytes.equals(bytes)).toBe(true);
      const again = await importFile(api, bytes, profile.name);
      expect([target, again.error, again]).toEqual([
        target,
        null,
        expect.objectContaining({ rows_read: job.rows_written, rows_unchanged: job.rows_written, rows_rejected: 0 }),
      ]);
    }
  });

  test('restores later changes when it is imported', async () => {
    const before = await exported(api, { target: 'products', format: 'ndjson' });
    await importFile(api, 'sku,name,description,active\nF-1,other,other,false\nF-2,other,other,true\n', 'products');
    await makeProfile(api, { name: 'restored', target: 'products', format: 'ndjson' });
    expect(await importFile(api, before.bytes, 'restored')).toMatchObject({ rows_written: 2, rows_unchanged: 1 });
    expect((await exported(api, { target: 'products', format: 'ndjson' })).bytes).toEqual(before.bytes);
  });

  test('reverses the mapping of its profile, whose fixed values select the rows', async () => {
    const mapping = { sku: 'article.@id', location: { value: 'main' }, quantity: { column: 'article.many' } };
    const { name } = await makeProfile(api, { name: 'mapped', target: 'stock', format: 'xml', mapping });
    const { bytes } = await exported(api, { profile: name });
    expect(bytes.toString()).toBe(
      `<?xml version="1.0" encoding="utf-8"?>
<rows>
<row><article id="F-1"><many>3</many></article></row>
<row><article id="F-2"><many>0</many></article></row>
</rows>
`,
    );
    expect((await exported(api, { profile: name, format: 'json' })).bytes.toString()).toBe(
      '[\n{"article":{"@id":"F-1","many":"3"}},\n{"article":{"@id":"F-2","many":"0"}}\n]\n',
    );
  });

  test('exports the rows that a filter selects', async () => {
    const skus = async (body: object) =>
      (await exported(api, body)).bytes
        .toString()
        .trimEnd()
        .split('\n')
        .slice(1)
        .map((line) => line.slice(0, 10));
    expect(await skus({ target: 'stock', filter: { location: 'hall' } })).toEqual(['F-1,hall,1']);
    expect(await skus({ target: 'prices', filter: { quantity_from: '0.50' } })).toEqual(['EU,F-2,0.5']);
    expect(await skus({ target: 'products', filter: { active: 'false' } })).toHaveLength(1);
    expect(await skus({ target: 'products', filter: { name: "'; DROP TABLE products; --\\" } })).toEqual([]);
    expect(await skus({ target: 'products', filter: { updated_since: '2099-01-01' } })).toEqual([]);
  });

  test('of orders has a row for each position', async () => {
    const shop = createShop(api);
    await shop.stocked('O-1', '10');
    const positions = [
      { sku: 'O-1', quantity: '2', unitPrice: '1.50' },
      { sku: 'O-1', quantity: '1', unitPrice: '2', text: '=engrave' },
    ];
    const { order } = await shop.place({ customerOrderNumber: 'PO-1', positions });
    const { bytes } = await exported(api, { target: 'orders', format: 'json', filter: { status: 'pending' } });
    const rows = JSON.parse(bytes.toString()) as object[];
    expect(rows).toMatchObject([
      {
        number: expect.any(String),
        customer_order_number: 'PO-1',
        line: '1',
        sku: 'O-1',
        quantity: '2',
        unit_price: '1.50',
      },
      { line: '2', quantity: '1', text: '=engrave', gross: '5.95' },
    ]);
    await shop.act(order.databaseId, 'acknowledge');
    const { bytes: left } = await exported(api, { target: 'orders', format: 'csv', filter: { status: 'pending' } });
    expect(left.toString().split('\n')).toEqual([expect.stringMatching(/^number,status,/), '']);
  });

  test.for<[string, object, string]>([
    ['an unknown target', { target: 'nonsense' }, 'target'],
    ['neither target nor profile', {}, 'target'],
    ['a target that is not the profile’s', { target: 'prices', profile: 'stock' }, 'target'],
    ['an unknown profile', { profile: 'nonsense' }, 'profile'],
    ['a filter of no field', { target: 'stock', filter: { colour: 'red' } }, 'filter.colour'],
    ['a filter that no value has', { target: 'stock', filter: { quantity: 'many' } }, 'filter.quantity'],
    ['an unknown format', { target: 'stock', format: 'pdf' }, 'format'],
  ])('is refused for %s', async ([, body, field]) => {
    expect(await start(api, body)).toMatchObject({ status: 422, body: { errors: { [field]: [expect.any(String)] } } });
  });

  test('is refused if the format cannot have its columns', async () => {
    const { name } = await makeProfile(api, {
      name: 'spaced',
      target: 'stock',
      format: 'csv',
      mapping: { sku: 'Article No', quantity: 'Quantity' },
    });
    expect(await start(api, { profile: name, format: 'xml' })).toMatchObject({
      status: 422,
      body: { errors: { profile: [expect.stringMatching(/"Article No" cannot be the name of an XML element/)] } },
    });
  });

  test('fails with a reason if the format cannot write a value', async () => {
    await api.graphql(
      'mutation ($name: String!) { createProduct(input: { sku: "Z-1", name: $name }) { __typename } }',
      {
        name: 'bell \u0007 → arrow',
      },
    );
    const bell = await makeProfile(api, { name: 'bell', target: 'products', format: 'xlsx' });
    const { job, bytes } = await exported(api, { profile: bell.name });
    expect(await importFile(api, bytes, bell.name)).toMatchObject({ rows_unchanged: job.rows_written });
    await makeProfile(api, { name: 'narrow', target: 'products', format: 'csv', encoding: 'windows-1252' });
    for (const [body, reason] of [
      [{ target: 'products', format: 'xml' }, /^XML cannot hold the control characters/],
      [{ profile: 'narrow' }, /^windows-1252 has no character "→"/],
    ] as const) {
      const { body: started } = await start(api, body);
      expect(await ran(api, started['id'] as never)).toMatchObject({
        status: 'failed',
        error: expect.stringMatching(reason),
        download_url: null,
      });
    }
  });

  test('needs the scope to write, and a signature of its own tenant to be read', async () => {
    const reader = await api.apiKey(['io:read', 'stock:read']);
    const refused = await callPlatform(api, 'POST', '/io/exports', { key: reader, body: { target: 'stock' } });
    expect(refused.status).toBe(403);
    const { job } = await exported(api, { target: 'stock', format: 'csv' });
    const url = job.download_url as string;
    for (const changed of [
      url.replace('acme-shop', 'acme-outlet'),
      url.replace(/expires=(\d+)/, (_all, at) => `expires=${Number(at) + 60}`),
      url.replace('/io/exports/', '/io/rejects/'),
      url.replace(/&signature=.*/, ''),
    ])
      expect((await atSigned(api, 'GET', changed)).statusCode).toBe(403);
    const file = await atSigned(api, 'GET', url);
    expect(file.headers).toMatchObject({
      'content-type': 'text/csv',
      'content-disposition': `attachment; filename="stock-${job.id}.csv"`,
      'cache-control': 'private, no-store',
    });
  });
});

describe('an export of its own', () => {
  test('sends an event of its own, and its file is deleted after a day', async ({ ownApi: api }) => {
    await fill(api);
    const { job } = await exported(api, { target: 'products', format: 'csv' });
    const { rows } = await api.database.system.query(
      `SELECT data ->> 'kind' AS kind, data ->> 'profile' AS profile FROM outbox_events WHERE topic = 'export.completed'`,
    );
    expect(rows).toEqual([{ kind: 'export', profile: null }]);
    const key = async () =>
      (await api.database.reader('acme-shop').bulkJob.findFirstOrThrow({ where: { id: BigInt(job.id) } })).resultKey;
    const stored = (await key()) as string;
    while (await sweepExports(api.deps));
    expect(await key()).toBe(stored);

    // The same bytes are an upload's as well, which keeps them.
    const finish = `UPDATE bulk_jobs SET finished_at = now() - interval '25 hours' WHERE id = $1 AND tenant_id = 'acme-shop'`;
    await api.database.tenantQuery('acme-shop', { text: finish, values: [job.id] });
    while (await sweepExports(api.deps));
    expect((await callPlatform(api, 'GET', `/io/bulk-jobs/${job.id}`)).body).toMatchObject({ download_url: null });
    expect((await atSigned(api, 'GET', job.download_url as string)).statusCode).toBe(410);
    expect(await api.deps.storage.exists(stored)).toBe(true);
    const again = await exported(api, { target: 'prices', format: 'json' });
    const json = (
      await api.database.reader('acme-shop').bulkJob.findFirstOrThrow({ where: { id: BigInt(again.job.id) } })
    ).resultKey as string;
    await api.database.tenantQuery('acme-shop', { text: finish, values: [again.job.id] });
    while (await sweepExports(api.deps));
    expect(await api.deps.storage.exists(json)).toBe(false);
  });

  test('starts from the beginning after its worker died', async ({ ownApi: api }) => {
    const { body } = await start(api, { target: 'products', format: 'csv' });
    const dead = `UPDATE bulk_jobs SET status = 'running', lease = gen_random_uuid(), lease_until = now() - interval '1 second',
      announced_at = NULL, rows_read = 7, rows_written = 7 WHERE tenant_id = 'acme-shop' AND id = $1`;
    await api.database.tenantQuery('acme-shop', { text: dead, values: [body['id']] });
    await startImportWorker(api);
    await takeUpJobs(api.services.imports);
    expect(await ended(api, body['id'] as never)).toMatchObject({ status: 'completed', rows_read: 0, rows_written: 0 });
  });

  test('is cancelled while its last bytes are stored, and leaves no file', async ({ ownApi: api }) => {
    const tenant = 'acme-shop';
    const { body } = await start(api, { target: 'products', format: 'csv' }, tenant);
    const { imports } = api.services;
    let stored = '';
    const storage: Storage = {
      ...imports.storage,
      async put(content, options) {
        await callPlatform(api, 'POST', `/io/bulk-jobs/${body['id']}/cancel`, { tenant });
        const kept = await imports.storage.put(content, options);
        stored = kept.key;
        return kept;
      },
    };
    await runBulkJob({ ...imports, storage }, { tenantId: tenant, bulkJobId: body['id'] as never });
    expect(await imports.storage.exists(stored)).toBe(false);
    expect((await callPlatform(api, 'GET', `/io/bulk-jobs/${body['id']}`, { tenant })).body).toMatchObject({
      status: 'cancelled',
      download_url: null,
      rows_read: 0,
    });
  });

  test('is cancelled while it waits', async ({ api }) => {
    const tenant = await makeTenant(api);
    const { body } = await start(api, { target: 'products', format: 'csv' }, tenant);
    const cancelled = await callPlatform(api, 'POST', `/io/bulk-jobs/${body['id']}/cancel`, { tenant });
    expect(cancelled).toMatchObject({ status: 202, body: { status: 'cancelled', download_url: null } });
    await runBulkJob(api.services.imports, { tenantId: tenant, bulkJobId: body['id'] as never });
    expect((await callPlatform(api, 'GET', `/io/bulk-jobs/${body['id']}`, { tenant })).body).toMatchObject({
      status: 'cancelled',
    });
  });
});
