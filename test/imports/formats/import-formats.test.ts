import { describe, expect } from 'vitest';
import { importFile, makeProfile, readRejects } from '#test/imports/import-file.ts';
import { callPlatform } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';

let api: TestApp;
const mapping = { sku: 'article.id', name: 'title', description: { column: 'size' } };
test.beforeAll(async ({ api: started }) => {
  api = started;
  for (const format of ['json', 'ndjson', 'xml']) {
    await makeProfile(api, { name: format, target: 'products', format, mapping });
    await makeProfile(api, { name: `${format} stock`, target: 'stock', format });
  }
  await makeProfile(api, {
    name: 'json in parts',
    target: 'products',
    format: 'json',
    mapping,
    record_path: 'data.items',
  });
  const named = { sku: '@id', name: 'title', description: 'size.@unit' };
  await makeProfile(api, {
    name: 'xml in parts',
    target: 'products',
    format: 'xml',
    mapping: named,
    record_path: 'r.part.row',
  });
});

const made = async (sku: string) => {
  const { body } = await callPlatform(api, 'GET', `/products?search=${sku}`);
  const [{ name, description } = { name: '', description: '' }] = body['items'] as unknown as Record<string, string>[];
  return [name, description];
};

const records = [
  { article: { id: 'F-1', more: [1] }, title: 'Größe "L"', size: 12.5, other: { deep: true } },
  { article: { id: 'F-2' }, title: 'Second', size: null },
];
const bad = { article: { id: 'F-3' }, title: { nested: 1 } };

describe('records are read', () => {
  test.for<[string, string, string]>([
    ['a JSON list', 'json', JSON.stringify([...records, bad], null, 2)],
    ['a list within JSON', 'json in parts', JSON.stringify({ meta: [1], data: { items: [...records, bad] }, z: 1 })],
    ['NDJSON', 'ndjson', [...records, bad].map((each) => JSON.stringify(each)).join('\r\n')],
  ])('from %s', async ([, profile, content]) => {
    await importFile(api, JSON.stringify([{ article: { id: 'F-1' }, title: 'x' }]), 'json');
    const job = await importFile(api, content, profile);
    expect(job).toMatchObject({ status: 'completed', error: null, rows_read: 3, rows_rejected: 1 });
    expect(await readRejects(api, job)).toEqual([
      '3,title,,"Use a text, a number or a boolean, not an object or a list."',
    ]);
    expect(await made('F-1')).toEqual(['Größe "L"', '12.5']);
  });

  test.for<[string, string, string]>([
    [
      'the children of an XML root',
      'xml',
      '<?xml version="1.0"?><rows><!-- x --><row><article><id>X-1</id></article><title>A &amp; <![CDATA[<B>]]></title><size>1</size></row><row><article><id>X-2</id></article></row></rows>',
    ],
    [
      'the elements at a path, with attributes',
      'xml in parts',
      '<r><skip><row id="no"/></skip><part><row id="X-1"><title>A &amp; &lt;B&gt;</title><size unit="1">x</size></row><row id="X-2"/></part></r>',
    ],
  ])('from %s', async ([, profile, content]) => {
    const job = await importFile(api, content, profile);
    expect(job).toMatchObject({ status: 'completed', error: null, rows_read: 2, rows_rejected: 1 });
    expect(await readRejects(api, job)).toEqual(['2,title,,A value is needed.']);
    expect(await made('X-1')).toEqual(['A & <B>', '1']);
  });

  test('with the digits of the file, without an exponent', async () => {
    await importFile(api, '{"article":{"id":"D-1"},"title":"x"}', 'ndjson');
    for (const [profile, content] of [
      [
        'json stock',
        '[{"sku":"D-1","quantity":0.100},{"sku":"D-1","location":"b","quantity":1e2},{"sku":"D-1","location":"c","quantity":true}]',
      ],
      [
        'ndjson stock',
        '{"sku":"D-1","location":"n","quantity":123456789012345678.000001}\n\n{"sku":"D-1","location":"b","quantity":1e2}\nnonsense\n',
      ],
    ] as const) {
      const job = await importFile(api, content, profile);
      expect(job).toMatchObject({ status: 'completed', rows_read: 3, rows_written: 1, rows_rejected: 2 });
      expect((await readRejects(api, job))[0]).toMatch(/,quantity,1e2,/);
    }
    const { body } = await callPlatform(api, 'GET', '/inventories/stock/D-1');
    expect(body['locations']).toMatchObject([{ on_hand: '0.1' }, { on_hand: '123456789012345678.000001' }]);
  });
});

describe('nothing is written from', () => {
  test.for<[string, string, string, RegExp]>([
    ['JSON that is cut short', 'json', JSON.stringify(records).slice(0, -20), /cut short/],
    [
      'JSON whose root is not a list',
      'json',
      '{"a": {}}',
      /^The root of the file is an object \(which has a\), not a list\.$/,
    ],
    ['text that is not JSON', 'json', 'sku,name\n', /not JSON/],
    ['JSON that nests too deep', 'json', `[${'['.repeat(200)}`, /^The JSON nests more than 100 objects and lists/],
    [
      'JSON with a text without an end',
      'json',
      `[{"title": "${'x'.repeat(17_000_000)}`,
      /are one record. Send smaller/,
    ],
    [
      'JSON with a record without an end',
      'json',
      `[{"more": [${'[],'.repeat(800_000)}`,
      /are one record. Send smaller/,
    ],
    [
      'XML with an element of many attributes',
      'xml',
      `<r><row ${Array.from({ length: 1_001 }, (_, at) => `a${at}="" `).join('')}/></r>`,
      /more than 1000 attributes/,
    ],
    [
      'XML with entities that grow',
      'xml',
      '<!DOCTYPE r [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><r><row>&b;</row></r>',
      /DOCTYPE/,
    ],
    [
      'XML with an entity of a DTD, which is not loaded',
      'xml',
      '<!DOCTYPE r SYSTEM "file:///etc/passwd"><r><row>&file;</row></r>',
      /"&file;" is no character, and DTDs with entities are not loaded/,
    ],
    [
      'JSON that says an error',
      'json in parts',
      '{"data":null,"errors":[{"message":"throttled"}]}',
      /data is null.*throttled$/,
    ],
    ['XML with entities of its own', 'xml', '<!DOCTYPE r [<!ENTITY a "b">]><r><row>&a;</row></r>', /DOCTYPE/],
    ['XML with an unknown entity', 'xml', '<r><row>&file;</row></r>', /cannot be read after record 1/],
    ['an empty XML file', 'xml', '', /no root|root element/],
    ['XML that is cut short', 'xml', '<r><row><title>x</title></row><row>', /cannot be read after record 2/],
    ['XML that nests too deep', 'xml', `${'<r>'.repeat(200)}${'</r>'.repeat(200)}`, /nests more than 100/],
  ])('%s', async ([, profile, content, error]) => {
    const job = await importFile(api, content, profile);
    expect(job).toMatchObject({ status: 'failed', rows_written: 0, error: expect.stringMatching(error) });
  });
});
