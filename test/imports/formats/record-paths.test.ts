import { describe, expect, test } from 'vitest';
import { readJson } from '#src/imports/formats/json/json.ts';
import { readXml } from '#src/imports/formats/xml/xml.ts';
import { inPieces, readAll } from '#test/imports/read-chunks.ts';

const formats = { xml: readXml, json: readJson };

/** What is read of the file as a whole and of a few bytes at a time, which is the same. */
async function readBy(format: keyof typeof formats, path: string | null, text: string, wanted = ['id']) {
  const bytes = Buffer.from(text);
  const own = { recordPath: path };
  const whole = await readAll({ read: formats[format], wanted }, [bytes], own);
  const pieces = await readAll({ read: formats[format], wanted }, inPieces(bytes), own);
  expect(pieces.fault?.message).toBe(whole.fault?.message);
  if (!whole.fault) expect(pieces.records).toEqual(whole.records);
  return whole;
}

describe('a record path that leads nowhere fails', () => {
  test.for<[string, string | null, string, string]>([
    [
      'a missing member',
      'data.items',
      '{"error":"maintenance"}',
      'The record path data.items leads nowhere: "data" is not in the root of the file, which has error. The file says: maintenance',
    ],
    [
      'null, with errors',
      'data.items',
      '{"data":null,"errors":[{"path":["x"],"message":"throttled"}]}',
      'The record path data.items leads nowhere: data is null, not an object. The file says: throttled',
    ],
    [
      'errors before',
      'data.items',
      '{"errors":[{"message":"throttled","path":["items"]}],"data":{"items":null}}',
      'The record path data.items leads nowhere: data.items is null, not a list. The file says: throttled',
    ],
    [
      'an error deeper than the records would be',
      'items',
      '{"errors":[{"code":"E1","message":"first"},{"message":"second"}],"items":null}',
      'The record path items leads nowhere: items is null, not a list. The file says: first',
    ],
    [
      'an error object at the root of a list',
      null,
      '{"error":{"message":"down"}}',
      'The root of the file is an object (which has error), not a list. The file says: down',
    ],
    [
      'a last member that is missing',
      'data.items',
      '{"data":{"count":0,"next":null}}',
      'The record path data.items leads nowhere: "items" is not in data, which has count, next.',
    ],
    [
      'an empty object',
      'data.items',
      '{"data":{}}',
      'The record path data.items leads nowhere: "items" is not in data, which is empty.',
    ],
    [
      'a list on the way',
      'products.variants',
      '{"products":[{"variants":[{"id":1}]}]}',
      'The record path products.variants leads nowhere: products is a list, not an object. Write "[]" behind its name for the records in each of its items.',
    ],
    [
      'an object for the list',
      'items',
      '{"items":{"edges":[],"pageInfo":{}}}',
      'The record path items leads nowhere: items is an object (which has edges, pageInfo), not a list.',
    ],
    [
      'a text for the list',
      'items',
      '{"items":"none"}',
      'The record path items leads nowhere: items is a text, not a list.',
    ],
    [
      'a list at the root',
      'data.items',
      '[{"id":1}]',
      'The record path data.items leads nowhere: the root of the file is a list, not an object. Write "[]" behind its name for the records in each of its items.',
    ],
    [
      'an object at the root',
      null,
      '{"error":"maintenance"}',
      'The root of the file is an object (which has error), not a list. The file says: maintenance',
    ],
    ['null at the root', null, 'null', 'The root of the file is null, not a list.'],
    [
      'another case',
      'items',
      '{"Items":[{"id":1}]}',
      'The record path items leads nowhere: "items" is not in the root of the file, which has Items.',
    ],
    [
      'an item without the list',
      'products[].variants',
      '{"products":[{"variants":[{"id":1}]},{"id":2}]}',
      'The record path products[].variants leads nowhere: "variants" is not in products[1], which has id.',
    ],
    [
      'an item that is no object',
      'products[].variants',
      '{"products":[7]}',
      'The record path products[].variants leads nowhere: products[0] is a number, not an object.',
    ],
    [
      'an empty list beside errors',
      'data.items',
      '{"data":{"items":[]},"errors":[{"message":"throttled"}]}',
      'The file has errors and no records. The file says: throttled',
    ],
  ])('in JSON: %s', async ([, path, text, message]) => {
    expect((await readBy('json', path, text)).fault?.message).toBe(message);
  });

  test.for<[string, string, string, string]>([
    [
      'another prefix',
      'articles.article',
      '<x:articles xmlns:x="urn:erp"><x:article><x:no>A</x:no></x:article></x:articles>',
      "The record path articles.article leads nowhere: the root of the file is <x:articles>, not <articles>. Write x:articles as the file does, or name its namespace in the profile's namespaces.",
    ],
    [
      'another root',
      'articles.article',
      '<error>maintenance</error>',
      'The record path articles.article leads nowhere: the root of the file is <error>, not <articles>.',
    ],
    [
      'another case',
      'articles.article',
      '<articles><Article/><Article/><info/></articles>',
      'The record path articles.article leads nowhere: <articles> has no <article>; it has <Article>, <info>. Write Article: names differ in case.',
    ],
    [
      'a step that is not there',
      'r.part.row',
      '<r><row/></r>',
      'The record path r.part.row leads nowhere: <r> has no <part>; it has <row>.',
    ],
    [
      'an empty element before the last step',
      'r.part.row',
      '<r/>',
      'The record path r.part.row leads nowhere: <r> has no <part>; it is empty.',
    ],
    [
      'a text',
      'r.row',
      '<r>maintenance</r>',
      'The record path r.row leads nowhere: <r> has no <row>; it has the text "maintenance".',
    ],
    [
      'an element deeper than the path',
      'r.row',
      '<r><part><row/></part></r>',
      'The record path r.row leads nowhere: <r> has no <row>; it has <part>.',
    ],
    [
      'other attributes',
      "r.row[@type='a']",
      '<r><row type="b"/><row/></r>',
      "The record path r.row[@type='a'] leads nowhere: <r> has no <row[@type='a']>; it has <row[@type='b']>, <row>.",
    ],
  ])('in XML: %s', async ([, path, text, message]) => {
    expect((await readBy('xml', path, text)).fault?.message).toBe(message);
  });
});

describe('no records are a success', () => {
  test.for<['xml' | 'json', string | null, string]>([
    ['json', null, '[]'],
    ['json', 'data.items', '{"data":{"items":[]}}'],
    ['json', 'data.items', '{"data":{"items":[]},"errors":[]}'],
    ['json', 'data.items?', '{"data":{}}'],
    ['json', 'data.items?', '{"data":{"items":null}}'],
    ['json', 'products[].variants', '{"products":[]}'],
    ['json', 'products[].variants', '{"products":[{"variants":[]}]}'],
    ['xml', null, '<r/>'],
    ['xml', 'r.row', '<r/>'],
    ['xml', 'r.part.row', '<r><info>1</info><part>\n<!-- none --></part></r>'],
    ['xml', 'r.row?', '<r><info>1</info></r>'],
    ['xml', 'r.part?.row', '<r/>'],
  ])('in %s at %s: %s', async ([format, path, text]) => {
    expect(await readBy(format, path, text)).toEqual({ records: [], fault: undefined });
  });
});

test('records are read from each item of a list, and from each element of the path', async () => {
  const json = '[{"v":[{"id":"1"},{"id":"2"}]},{"v":[]},{"v":[{"id":"3"}],"x":{"v":[{"id":"4"}]}}]';
  const xml = '<r><p><v><id>1</id></v><v><id>2</id></v></p><p/><p><v><id>3</id></v><x><v><id>4</id></v></x></p></r>';
  for (const found of [await readBy('json', '[].v', json), await readBy('xml', 'r.p.v', xml)])
    expect(found.records.map(({ line, cells }) => [line, ...cells])).toEqual([
      [1, '1'],
      [2, '2'],
      [3, '3'],
    ]);
});

describe('a path is refused', () => {
  test.for<['xml' | 'json', string, string, RegExp]>([
    ['json', 'data..items', 'id', /cannot be read as a path from ".items" on/],
    ['json', 'items[]', 'id', /Leave out the "\[\]" at the end/],
    ['json', 'items', '../../x', /leads out of the file.*: 1\.$/],
    ['json', 'items', '../items', /is what the records are in/],
    ['json', 'items', '../', /names no member/],
    ['xml', 'r..row', 'id', /cannot be read as a path from ".row" on/],
    ['xml', 'r.@row', 'id', /ends with an attribute/],
    ['xml', 'r.row', 'price[@type=net]', /cannot be read as a path from "price/],
    ['xml', 'r.row', 'price?', /has a "\?"/],
    ['xml', 'r.row', '../../x', /leads out of the file.*: 1\.$/],
    ['xml', 'r.row', '../row.x', /is what the records are in/],
    ['xml', 'r.p.row', '../../p', /is what the records are in/],
  ])('%s at %s: %s', async ([format, path, column, message]) => {
    expect((await readBy(format, path, format === 'json' ? '[]' : '<r/>', [column])).fault?.message).toMatch(message);
  });
});
