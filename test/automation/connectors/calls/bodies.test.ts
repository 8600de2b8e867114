import { Busboy } from '@fastify/busboy';
import { describe, expect, test } from 'vitest';
import type { ApiCall, CallBody } from '#src/automation/node-api/api-call.ts';
import { startCalls } from './sent-calls.ts';

const calls = await startCalls();

const types: Record<CallBody['as'], string> = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  multipart: 'multipart/form-data',
  xml: 'application/xml',
  text: 'text/plain',
  bytes: 'application/octet-stream',
  change_set: 'multipart/mixed',
};

async function post(as: CallBody['as'], body: unknown, more: Partial<CallBody> = {}, call: Partial<ApiCall> = {}) {
  await calls.send({ method: 'POST', body: { field: 'body', media_type: types[as], as, ...more }, ...call }, { body });
  return calls.last();
}

describe('a JSON body', () => {
  test.each([{ a: [1, { b: 'ä' }] }, ['a'], 'text', 0, false])('is sent as it is: %j', async (value) => {
    const { text, headers } = await post('json', value);
    expect(JSON.parse(text)).toEqual(value);
    expect(headers['content-type']).toBe('application/json');
  });

  test('has its media type with parameters', async () => {
    const type = 'application/vnd.api+json; charset=utf-8; profile="https://api.example/p"';
    expect((await post('json', {}, { media_type: type })).headers['content-type']).toBe(type);
  });

  test('is left out if the config has none', async () => {
    const { body, headers } = await post('json', null);
    expect(body.byteLength).toBe(0);
    expect(headers['content-type']).toBeUndefined();
  });

  test('has the members that are always sent, at any depth', async () => {
    const fixed = { query: 'query Q { a }', params: { service: 'object' } };
    const given = { query: 'mine', variables: { id: 1 }, params: { args: [1], service: 'mine' }, ['__proto__']: 1 };
    const { text } = await post('json', given, {}, { fixed_body: fixed });
    expect(text).toBe(
      '{"query":"query Q { a }","params":{"service":"object","args":[1]},"variables":{"id":1},"__proto__":1}',
    );
  });

  test('has only the members that are always sent if the config gives none, with and without a field', async () => {
    expect((await post('json', undefined, {}, { fixed_body: { a: 1 } })).text).toBe('{"a":1}');
    await calls.send({ method: 'POST', fixed_body: { b: 2 } });
    expect(calls.last()).toMatchObject({ text: '{"b":2}', headers: { 'content-type': 'application/json' } });
  });

  test('must be an object if members are always sent', async () => {
    await expect(post('json', [1], {}, { fixed_body: { a: 1 } })).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      message: 'config.body: must be an object.',
    });
  });
});

describe('a form', () => {
  test.each([
    [{ a: 'x y&z', b: 1, c: [1, 2], d: { e: 1 }, none: null }, {}, 'a=x%20y%26z&b=1&c=1&c=2&d=%7B%22e%22%3A1%7D'],
    [{ c: [1, 2] }, { c: { style: 'form', explode: false } }, 'c=1,2'],
    [{ c: [1, 2] }, { c: { explode: false } }, 'c=1,2'],
    [{ c: [1, 2] }, { c: { content_type: 'application/json' } }, 'c=%5B1%2C2%5D'],
    [{ c: [1, 2] }, { c: { style: 'pipeDelimited' } }, 'c=1%7C2'],
    [{ m: { a: { b: [1] } } }, { m: { style: 'deepObject' } }, 'm%5Ba%5D%5Bb%5D%5B0%5D=1'],
  ] as [object, CallBody['encoding'], string][])('of %j with %j', async (body, encoding, text) => {
    expect((await post('form', body, { encoding })).text).toBe(text);
  });

  test('must be an object', async () => {
    await expect(post('form', 'a=b')).rejects.toMatchObject({ code: 'INVALID_CONFIG' });
  });
});

/** The parts of a multipart form as a server reads them: [name, content, media type, file name]. */
async function readParts(type: unknown, body: Buffer): Promise<unknown[][]> {
  const parts: unknown[][] = [];
  const reader = new Busboy({ headers: { 'content-type': String(type) } });
  reader.on('field', (name, value, _name, _value, _encoding, mediaType) => parts.push([name, value, mediaType]));
  reader.on('file', (name, file, filename, _encoding, mediaType) => {
    const part = [name, '', mediaType, filename];
    parts.push(part);
    file.on('data', (chunk: Buffer) => (part[1] += chunk.toString('latin1')));
  });
  await new Promise((resolve) => reader.on('finish', resolve).end(body));
  return parts;
}

describe('a multipart form', () => {
  test('has texts, lists, objects and files as parts', async () => {
    const body = {
      note: 'ä',
      tag: ['a', 'b'],
      meta: { a: 1 },
      list: [1, 2],
      'evil"\r\nname': 'x',
      file: { filename: 'a"b.bin', content_type: 'image/png', content_base64: '/wA=' },
      more: [{ filename: 'c.txt', content: 'c' }],
      page: { content: 'c', title: 't' },
      photo: ['/wA=', { content: 'd' }],
    };
    const encoding = {
      list: { content_type: 'application/json' },
      more: { content_type: 'text/csv' },
      photo: { file: true, content_type: 'image/*, text/css' },
    };
    const sent = await post('multipart', body, { encoding });
    expect(await readParts(sent.headers['content-type'], sent.body)).toEqual([
      ['note', 'ä', 'text/plain'],
      ['tag', 'a', 'text/plain'],
      ['tag', 'b', 'text/plain'],
      ['meta', '{"a":1}', 'application/json'],
      ['list', '[1,2]', 'application/json'],
      ['evil%22%0D%0Aname', 'x', 'text/plain'],
      ['file', '\xff\0', 'image/png', 'a%22b.bin'],
      ['more', 'c', 'text/csv', 'c.txt'],
      ['page', '{"content":"c","title":"t"}', 'application/json'],
      ['photo', '\xff\0', 'application/octet-stream', 'photo'],
      ['photo', 'd', 'application/octet-stream', undefined],
    ]);
  });

  test('writes members with a style as separate parts', async () => {
    const sent = await post('multipart', { m: { a: 1, b: [2] } }, { encoding: { m: { style: 'deepObject' } } });
    expect(await readParts(sent.headers['content-type'], sent.body)).toEqual([
      ['m[a]', '1', 'text/plain'],
      ['m[b][0]', '2', 'text/plain'],
    ]);
  });

  test('keeps its multipart media type', async () => {
    const sent = await post('multipart', { a: 1 }, { media_type: 'multipart/mixed; boundary=x' });
    expect(sent.headers['content-type']).toMatch(/^multipart\/mixed; boundary=causeway-/);
  });

  test.each([
    [{ file: { content: 'a', content_base64: 'YQ==' } }, {}, /config\.body\.file: must be a file/],
    [{ a: 'not base64!' }, { a: { file: true } }, /config\.body\.a: must be a file/],
    [{ a: { b: 1 } }, { a: { file: true } }, /config\.body\.a: must be a file/],
    [{ a: 'x' }, { a: { content_type: 'text/plain\r\nx: y' } }, /media type cannot be sent/],
  ] as [object, CallBody['encoding'], RegExp][])('refuses %j with %j', async (body, encoding, message) => {
    await expect(post('multipart', body, { encoding })).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      message: expect.stringMatching(message),
    });
  });
});

describe('an XML body', () => {
  const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n';
  test.each([
    [
      { Order: { '@id': 1, Line: [{ '#text': 'a&b' }, 'c'] } },
      undefined,
      '<Order id="1"><Line>a&amp;b</Line><Line>c</Line></Order>',
    ],
    [{ id: 1 }, 'Order', '<Order><id>1</id></Order>'],
  ])('is written from %j with the root %j', async (value, root, text) => {
    const sent = await post('xml', value, root === undefined ? {} : { root });
    expect(sent.text).toBe(declaration + text);
    expect(sent.headers['content-type']).toBe('application/xml');
  });

  test('is sent unchanged if it is text, in the charset of its media type', async () => {
    const sent = await post('xml', '<a>ä</a>', { media_type: 'text/xml; charset=ISO-8859-1' });
    expect(sent.body.toString('latin1')).toBe('<a>ä</a>');
  });

  test('wraps the value from the config in its envelope', async () => {
    const fixed = { 'soap:Envelope': { '@xmlns:soap': 'http://schemas.xmlsoap.org/soap/envelope/' } };
    const sent = await post('xml', { 'soap:Envelope': { 'soap:Body': { a: 1 } } }, {}, { fixed_body: fixed });
    expect(sent.text).toBe(
      `${declaration}<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body><a>1</a></soap:Body></soap:Envelope>`,
    );
  });

  test.each([[{ a: 1, b: 2 }], [{ a: [1, 2] }], [[1]], [5]])(
    'is refused for %j, which has no root element',
    async (value) => {
      await expect(post('xml', value)).rejects.toMatchObject({ code: 'INVALID_CONFIG' });
    },
  );

  test('is refused if a name contains markup', async () => {
    await expect(post('xml', { a: { 'b><c': 1 } })).rejects.toMatchObject({ code: 'UNWRITABLE' });
  });
});

describe('text and bytes', () => {
  test.each([
    ['text', 'hé', 'text/plain', 'hé'],
    ['text', 'hé', 'text/csv; charset=iso-8859-1', 'h\xe9'],
    ['text', 5, 'text/plain', '5'],
    ['bytes', '/wA=', 'image/png', '\xff\0'],
  ] as const)('%s %j as %s', async (as, value, type, latin) => {
    const sent = await post(as, value, { media_type: type });
    expect(sent.body).toEqual(Buffer.from(latin, type === 'text/plain' ? 'utf8' : 'latin1'));
    expect(sent.headers['content-type']).toBe(type);
  });

  test.each([
    ['bytes', 'not base64!', 'image/png'],
    ['bytes', { a: 1 }, 'image/png'],
    ['text', { a: 1 }, 'text/plain'],
    ['text', '€', 'text/plain; charset=iso-8859-1'],
    ['text', 'a', 'text/plain; charset=klingon'],
  ] as const)('%s %j is refused as %s', async (as, value, type) => {
    await expect(post(as, value, { media_type: type })).rejects.toMatchObject({ code: 'INVALID_CONFIG' });
  });
});
