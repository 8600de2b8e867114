import { describe, expect, test } from 'vitest';
import { readJson } from '#src/imports/formats/json/json.ts';
import { skippedRecord, type Reading } from '#src/imports/formats/records/records.ts';
import { readXml } from '#src/imports/formats/xml/xml.ts';
import { inPieces, type ReadFormat, readAll } from '#test/imports/read-chunks.ts';

async function cells(format: ReadFormat, text: string, own: Partial<Reading>) {
  const bytes = Buffer.from(text);
  const whole = await readAll(format, [bytes], { skipUnchanged: () => skippedRecord, ...own });
  const pieces = await readAll(format, inPieces(bytes), own);
  expect(pieces.fault?.message).toBe(whole.fault?.message);
  if (!whole.fault) expect(pieces.records).toEqual(whole.records);
  return whole.fault?.message ?? whole.records.map(({ cells: own, fault }) => (fault ? [...own, fault] : own));
}

describe('fields of a parent record', () => {
  const many = ['1', '10', '100', '500', '1000'];

  test('are read from the article around a tier price in XML', async () => {
    const price = (from: string) => `<PRICE type="net"><AMOUNT>${from}.5</AMOUNT><FROM>${from}</FROM></PRICE>\n`;
    const article = (sku: string, after = '') =>
      `<ARTICLE mode="new"><AID>${sku}</AID><DETAILS><PRICE type="list"><AMOUNT>9</AMOUNT></PRICE>${many.map(price).join('')}</DETAILS>${after}</ARTICLE>`;
    const read = {
      read: readXml,
      wanted: ['../../AID', '../../@mode', 'AMOUNT', 'FROM', '../../../@currency', '../../UNIT.@code'],
    };
    const text = `<CATALOG currency="EUR">${article('A-1')}${article('A-2', '<UNIT code="C62"/>')}</CATALOG>`;
    const of = (sku: string, unit?: string) => many.map((from) => [sku, 'new', `${from}.5`, from, 'EUR', unit]);
    expect(await cells(read, text, { recordPath: "CATALOG.ARTICLE.DETAILS.PRICE[@type='net']" })).toEqual([
      ...of('A-1'),
      ...of('A-2', 'C62'),
    ]);
  });

  test('are read from the product around a variant in JSON, before and after it', async () => {
    const variants = many.map((sku) => `{"sku":"${sku}"}`).join(',');
    const text = `{"shop":{"name":"S"},"products":[{"id":1,"variants":[${variants}],"title":"T1","options":{"size":"L"}},{"title":"T2","variants":[${variants}]}],"n":7}`;
    const read = {
      read: readJson,
      wanted: ['sku', '../title', '../options.size', '../../shop.name', '../../n', '../id'],
    };
    expect(await cells(read, text, { recordPath: 'products[].variants' })).toEqual([
      ...many.map((sku) => [sku, 'T1', 'L', 'S', '7', '1']),
      ...many.map((sku) => [sku, 'T2', undefined, 'S', '7', undefined]),
    ]);
  });

  test('are never read from another parent, and null is no value', async () => {
    const read = { read: readJson, wanted: ['id', '../name'] };
    const text =
      '[{"name":"a","v":[{"id":"1"}]},{"v":[{"id":"2"}]},{"name":null,"v":[{"id":"3"}]},{"name":{"x":1},"v":[{"id":"4"}]}]';
    expect(await cells(read, text, { recordPath: '[].v' })).toEqual([
      ['1', 'a'],
      ['2', undefined],
      ['3', undefined],
      ['4', expect.objectContaining({ reason: expect.stringContaining('not an object') as string })],
    ]);
  });

  test('are faults if they are there twice', async () => {
    const xml = { read: readXml, wanted: ['id', '../name'] };
    const row = '<row><id>1</id></row>';
    expect(await cells(xml, `<r><name>a</name><name>b</name>${row}</r>`, { recordPath: 'r.row' })).toEqual([
      ['1', 'a', 'It has ../name twice.'],
    ]);
    expect(await cells(xml, `<r><name>a</name>${row}<name>b</name></r>`, { recordPath: 'r.row' })).toMatch(
      /^\.\.\/name is there twice/,
    );
    const json = { read: readJson, wanted: ['id', '../name'] };
    expect(await cells(json, '{"name":1,"v":[{"id":1}],"name":2}', { recordPath: 'v' })).toMatch(/is there twice/);
  });

  test('are refused with a hint if they follow too many records', async () => {
    const rows = `{"id":"${'x'.repeat(1_000_000)}"},`.repeat(17);
    const read = { read: readJson, wanted: ['id', '../name'] };
    const found = await readAll(read, [Buffer.from(`{"v":[${rows}{}],"name":1}`)], { recordPath: 'v' });
    expect(found.fault?.message).toMatch(/wait for \.\.\/name\. Put it before the records/);
    const before = await readAll(read, [Buffer.from(`{"name":1,"v":[${rows}{}]}`)], { recordPath: 'v' });
    expect(before.records).toHaveLength(18);
  });
});

describe('an element is chosen by an attribute', () => {
  test('among others of its name', async () => {
    const wanted = ["p[@t='net'].a", 'p[@t="list"][@c=\'EUR\'].a', "n[@xml:lang='de']", "p[@t='net'].@c"];
    const row = (n: number) =>
      `<row><n xml:lang="en">e${n}</n><n xml:lang="de">d${n}</n><p t="list" c="USD"><a>1</a></p><p t="list" c="EUR"><a>2</a></p><p c="CHF" t="net"><a>${n}</a></p></row>`;
    const other = '<row><p t="net"><a>7</a></p><p t="net"><a>8</a></p></row>';
    const text = `<r>${[1, 2, 3, 4, 5].map(row).join('')}${other}</r>`;
    expect(await cells({ read: readXml, wanted }, text, { skipUnchanged: undefined, recordPath: 'r.row' })).toEqual([
      ...[1, 2, 3, 4, 5].map((n) => [String(n), '2', `d${n}`, 'CHF']),
      ['8', undefined, undefined, undefined, "It has p[@t='net'].a twice."],
    ]);
  });

  test('even if records of the same shape have other values of it', async () => {
    const types = ['a', 'b', 'a', 'a', 'b', 'b', 'a'];
    const text = `<r>${types.map((type, n) => `<row type="${type}"><p t="${type}">${n}</p></row>`).join('\n')}</r>`;
    const read = (wanted: string[], recordPath: string) =>
      cells({ read: readXml, wanted }, text, { skipUnchanged: undefined, recordPath });
    expect(await read(["p[@t='a']"], 'r.row')).toEqual(types.map((type, n) => [type === 'a' ? String(n) : undefined]));
    expect(await read(['p'], "r.row[@type='b']")).toEqual([['1'], ['4'], ['5']]);
  });
});

describe('namespaces', () => {
  const namespaces = { '': 'urn:feed', g: 'urn:goods' };
  const of = (text: string, own: Partial<Reading> = {}) =>
    cells({ read: readXml, wanted: ['title', 'g:id', 'g:id.@unit'] }, text, {
      skipUnchanged: undefined,
      recordPath: 'feed.entry',
      namespaces,
      ...own,
    });

  test('are compared by their URIs, whatever the prefixes of the file', async () => {
    const entries = ['1', '2', '3', '4'].map(
      (n) => `<f:entry><f:title>t</f:title><x:id unit="u">${n}</x:id><id>no</id></f:entry>`,
    );
    const expected = ['1', '2', '3', '4'].map((n) => ['t', n, 'u']);
    expect(await of(`<f:feed xmlns:f="urn:feed" xmlns:x="urn:goods">${entries.join('')}</f:feed>`)).toEqual(expected);
    const byDefault = entries.map((entry) => entry.replaceAll('f:', '').replace('<id>no</id>', ''));
    expect(await of(`<feed xmlns="urn:feed" xmlns:x="urn:goods">${byDefault.join('')}</feed>`)).toEqual(expected);
  });

  test('may be declared again in each record and parent', async () => {
    const own = (uri: string) => `<entry xmlns:x="${uri}"><title>t</title><x:id unit="u">1</x:id></entry>`;
    const uris = ['urn:goods', 'urn:goods', 'urn:goods', 'urn:other', 'urn:goods', 'urn:other'];
    const expected = uris.map((uri) => (uri === 'urn:goods' ? ['t', '1', 'u'] : ['t', undefined, undefined]));
    expect(await of(`<feed xmlns="urn:feed">${uris.map(own).join('')}</feed>`)).toEqual(expected);
    const row = '<x:row><x:id>1</x:id></x:row>';
    const parts = uris.map((uri) => `<part xmlns:x="${uri}">${row.repeat(3)}</part>`);
    const rows = await cells({ read: readXml, wanted: ['g:id'] }, `<r>${parts.join('')}</r>`, {
      skipUnchanged: undefined,
      recordPath: 'r.part.g:row',
      namespaces: { g: 'urn:goods' },
    });
    expect(rows).toHaveLength(12);
  });

  test('are listed in the fault if none matches', async () => {
    expect(await of('<feed><entry/></feed>')).toBe(
      'The record path feed.entry leads nowhere: the root of the file is <feed> of no namespace, not <feed>.',
    );
    expect(await of('<feed xmlns="urn:feed"><x:entry/></feed>')).toBe(
      'The XML declares no namespace for the prefix x:.',
    );
    expect(await of('<feed/>', { namespaces: { a: 'urn:a' }, recordPath: 'b:feed.entry' })).toBe(
      "The prefix b is not among the profile's namespaces. Add it there.",
    );
  });
});
