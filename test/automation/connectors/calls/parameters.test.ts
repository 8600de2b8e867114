import { describe, expect, test } from 'vitest';
import { writePairs, writeText } from '#src/automation/connectors/calls/styles.ts';
import type { CallParameter, ParameterStyle } from '#src/automation/node-api/api-call.ts';
import { startCalls } from './sent-calls.ts';

const calls = await startCalls();

const list = ['blue', 'black', 'brown'];
const object = { R: 100, G: 200, B: 150 };

const encodeURI = { name: encodeURIComponent, value: encodeURIComponent };

/** The table of styles in the specification of OpenAPI 3.1: the results for "", blue, the list and the object. */
const inText: [ParameterStyle, boolean, ...string[]][] = [
  ['matrix', false, ';color', ';color=blue', ';color=blue,black,brown', ';color=R,100,G,200,B,150'],
  ['matrix', true, ';color', ';color=blue', ';color=blue;color=black;color=brown', ';R=100;G=200;B=150'],
  ['label', false, '.', '.blue', '.blue,black,brown', '.R,100,G,200,B,150'],
  ['label', true, '.', '.blue', '.blue.black.brown', '.R=100.G=200.B=150'],
  ['simple', false, '', 'blue', 'blue,black,brown', 'R,100,G,200,B,150'],
  ['simple', true, '', 'blue', 'blue,black,brown', 'R=100,G=200,B=150'],
];
const inPairs: [ParameterStyle, boolean, ...string[]][] = [
  ['form', false, 'color=', 'color=blue', 'color=blue,black,brown', 'color=R,100,G,200,B,150'],
  ['form', true, 'color=', 'color=blue', 'color=blue&color=black&color=brown', 'R=100&G=200&B=150'],
  ['spaceDelimited', false, 'color=', 'color=blue', 'color=blue%20black%20brown', 'color=R%20100%20G%20200%20B%20150'],
  ['pipeDelimited', false, 'color=', 'color=blue', 'color=blue%7Cblack%7Cbrown', 'color=R%7C100%7CG%7C200%7CB%7C150'],
  ['spaceDelimited', true, 'color=', 'color=blue', 'color=blue&color=black&color=brown', 'R=100&G=200&B=150'],
  ['pipeDelimited', true, 'color=', 'color=blue', 'color=blue&color=black&color=brown', 'R=100&G=200&B=150'],
];

describe('a value is written in the style of its parameter', () => {
  test.each(inText)('%s, exploded %s, as one text', (style, explode, ...texts) => {
    const written = ['', 'blue', list, object].map((value) => writeText({ name: 'color', style, explode }, value));
    expect(written).toEqual(texts);
  });

  test.each(inPairs)('%s, exploded %s, as pairs', (style, explode, ...texts) => {
    const written = ['', 'blue', list, object].map((value) =>
      writePairs({ name: 'color', style, explode }, value, encodeURI)
        .map((pair) => pair.join('='))
        .join('&'),
    );
    expect(written).toEqual(texts);
  });

  test('deepObject, at any depth', () => {
    const value = { R: 100, deep: { list: ['a', { b: true }], none: null } };
    expect(
      writePairs({ name: 'color', style: 'deepObject', explode: true }, value, { name: String, value: String }),
    ).toEqual([
      ['color[R]', '100'],
      ['color[deep][list][0]', 'a'],
      ['color[deep][list][1][b]', 'true'],
    ]);
  });
});

const parameter = (more: Partial<CallParameter>): CallParameter => ({
  field: 'value',
  name: 'color',
  in: 'query',
  style: 'form',
  explode: true,
  ...more,
});

/** A parameter, its value, and the URL that was requested. */
const sent: [Partial<CallParameter>, unknown, string][] = [
  [{}, 'a b&c=d#e', '/items?color=a%20b%26c%3Dd%23e'],
  [{}, [], '/items'],
  [{}, {}, '/items'],
  [{}, '', '/items'],
  [{}, null, '/items'],
  [{}, false, '/items?color=false'],
  [{}, 0, '/items?color=0'],
  [{}, ['a', null, ''], '/items?color=a&color='],
  [{}, [{ a: 1 }], '/items?color=%7B%22a%22%3A1%7D'],
  [{ explode: false }, ['a,b', 'c'], '/items?color=a%2Cb,c'],
  [{ name: '$filter' }, "name eq 'a'", '/items?$filter=name%20eq%20%27a%27'],
  [{ name: 'page[size]' }, 5, '/items?page%5Bsize%5D=5'],
  [{ style: 'deepObject' }, { status: ['a', 'b'] }, '/items?color%5Bstatus%5D%5B0%5D=a&color%5Bstatus%5D%5B1%5D=b'],
  [{ style: 'json' }, { a: ['ä'] }, '/items?color=%7B%22a%22%3A%5B%22%C3%A4%22%5D%7D'],
  [{ allow_reserved: true }, 'a/b?c:d=e', '/items?color=a/b?c:d=e'],
  [{ allow_reserved: true }, '50%25 & 100%', '/items?color=50%25%20%26%20100%25'],
  [{ in: 'path', style: 'simple' }, 'a b/c', '/items/a%20b%2Fc/end'],
  [{ in: 'path', style: 'simple' }, ['a', 'b'], '/items/a,b/end'],
  [{ in: 'path', style: 'label' }, ['a', 'b'], '/items/.a.b/end'],
  [{ in: 'path', style: 'matrix' }, object, '/items/;R=100;G=200;B=150/end'],
  [{ in: 'path', style: 'json' }, { a: 1 }, '/items/%7B%22a%22%3A1%7D/end'],
  [{ in: 'path', style: 'simple', allow_reserved: true }, 'docs/a b?c#d', '/items/docs/a%20b%3Fc%23d/end'],
];

describe('the URL of a call', () => {
  test.each(sent)('with %j and %j', async (given, value, url) => {
    const path = given.in === 'path' ? '/items/{color}/end' : '/items';
    await calls.send({ path, parameters: [parameter(given)] }, { value });
    expect(calls.last().url).toBe(url);
  });

  test('keeps a query that the description fixes, and replaces parameters of the same name', async () => {
    await calls.send(
      { path: '/index.php?route=orders&color=red#fragment', parameters: [parameter({})] },
      { value: 'blue' },
    );
    expect(calls.last().url).toBe('/index.php?route=orders&color=blue');
  });

  test('is the address of the server if the path is empty', async () => {
    await calls.send({ base_url: `${calls.url}/shop.php`, path: '', parameters: [parameter({})] }, { value: 'blue' });
    expect(calls.last().url).toBe('/shop.php?color=blue');
  });

  test('begins with the address from the config instead of the server in the description', async () => {
    await calls.send({ base_url: 'https://never.example' }, { base_url: `${calls.url}/v2/` });
    expect(calls.last().url).toBe('/v2/items');
  });

  test.each([
    ['missing', undefined, /is required/],
    ['of another protocol', 'ftp://api.example', /http or https/],
    ['with a user name', 'https://me@api.example', /without a user name/],
    ['with a query', 'https://api.example/?a=b', /query/],
    ['relative', '/v1', /such as/],
    ['not a text', 7, /such as/],
  ])('is refused with a base that is %s', async (_case, base, message) => {
    await expect(calls.send({ base_url: undefined }, { base_url: base })).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      message: expect.stringMatching(message),
    });
    expect(calls.seen).toEqual([]);
  });
});

describe('headers and cookies', () => {
  test.each([
    [{ style: 'simple', explode: false }, object, 'R,100,G,200,B,150'],
    [{ style: 'simple', explode: true }, object, 'R=100,G=200,B=150'],
    [{ style: 'simple' }, 'a b', 'a b'],
    [{ style: 'json' }, { a: 'ä\n€' }, '{"a":"\\u00e4\\n\\u20ac"}'],
  ] as [Partial<CallParameter>, unknown, string][])('a header with %j and %j', async (given, value, text) => {
    await calls.send({ parameters: [parameter({ in: 'header', name: 'X-Color', ...given })] }, { value });
    expect(calls.last().headers['x-color']).toBe(text);
  });

  test('cookies are encoded, and lists repeat them', async () => {
    const parameters = [
      parameter({ in: 'cookie', name: 'session' }),
      parameter({ in: 'cookie', name: 'tag', field: 'tags' }),
    ];
    await calls.send({ parameters }, { value: 'a; admin=1', tags: ['x', 'y'] });
    expect(calls.last().headers['cookie']).toBe('session=a%3B%20admin%3D1; tag=x; tag=y');
  });

  test('fixed headers are sent, and a parameter of the same name replaces one', async () => {
    const headers = { SOAPAction: 'urn:do', 'X-Color': 'red' };
    await calls.send(
      { headers, parameters: [parameter({ in: 'header', name: 'x-color', style: 'simple' })] },
      { value: 'blue' },
    );
    expect(calls.last().headers).toMatchObject({ soapaction: 'urn:do', 'x-color': 'blue' });
  });
});
