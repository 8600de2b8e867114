import { expect, test } from 'vitest';
import type { CallParameter } from '#src/automation/node-api/api-call.ts';
import { startCalls } from './sent-calls.ts';

const calls = await startCalls();

const places = ['path', 'query', 'header', 'cookie'] as const;
const parameter = (place: CallParameter['in'], more: Partial<CallParameter> = {}): CallParameter => ({
  field: 'value',
  name: 'x-value',
  in: place,
  style: place === 'path' || place === 'header' ? 'simple' : 'form',
  explode: true,
  ...more,
});
const send = (given: CallParameter, value: unknown) =>
  calls.send({ path: given.in === 'path' ? '/a/{x-value}/end' : '/a', parameters: [given] }, { value });

const lines = ['a\r\nx-evil: 1', 'a\nx-evil: 1', 'a\rb', 'a\0b', '\u{10ffff}\n'];

test.each(places.flatMap((place) => lines.map((value) => [place, value] as const)))(
  'a line break in a %s adds no header: %j',
  async (place, value) => {
    const sending = send(parameter(place), value);
    if (place === 'header') await expect(sending).rejects.toMatchObject({ code: 'INVALID_CONFIG' });
    else await sending;
    expect(calls.seen.map(({ headers }) => headers['x-evil'])).toEqual(place === 'header' ? [] : [undefined]);
  },
);

test.each([
  ['..', undefined],
  ['.', undefined],
  ['%2e%2E', '/a/%252e%252E/end'],
  ['../../admin', '/a/..%2F..%2Fadmin/end'],
  ['a/../../admin', '/a/a%2F..%2F..%2Fadmin/end'],
  ['..\\..\\admin', '/a/..%5C..%5Cadmin/end'],
  ['?a=b#c', '/a/%3Fa%3Db%23c/end'],
  ['', undefined],
  [[], undefined],
  [{}, undefined],
  [[null], undefined],
  ['//evil.example/', '/a/%2F%2Fevil.example%2F/end'],
  ['@evil.example', '/a/%40evil.example/end'],
  ['日本', '/a/%E6%97%A5%E6%9C%AC/end'],
  ['\ud800', '/a/%EF%BF%BD/end'],
])('%j cannot change the segments of a path', async (value, url) => {
  const sending = send(parameter('path'), value);
  if (url === undefined) await expect(sending).rejects.toMatchObject({ code: 'INVALID_CONFIG' });
  else await sending;
  expect(calls.seen.map((each) => each.url)).toEqual(url === undefined ? [] : [url]);
});

test.each(['..', '../admin', 'a/../../admin', '%2e%2e/admin', 'a/%2E./b'])(
  '%j does not leave the path where slashes are allowed',
  async (value) => {
    await expect(send(parameter('path', { allow_reserved: true }), value)).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
    });
    expect(calls.seen).toEqual([]);
  },
);

test('values that form one segment together cannot leave the path', async () => {
  const parameters = [parameter('path', { name: 'a', field: 'a' }), parameter('path', { name: 'b', field: 'b' })];
  await expect(calls.send({ path: '/x/{a}{b}/admin', parameters }, { a: '.', b: '.' })).rejects.toMatchObject({
    code: 'INVALID_CONFIG',
    message: expect.stringContaining('config.a, config.b'),
  });
});

test.each(['/../admin', '/a/%2e%2E/admin', '/a\\..\\..\\admin', '\\..', '/.\\b'])(
  'the path %s of a manifest does not leave the address of a credential',
  async (path) => {
    const credential = {
      sends: [{ as: 'bearer', field: 'key' } as const],
      fields: { key: 'k', base_url: `${calls.url}/own` },
    };
    const sending = calls.send({ path, credential: 'credential' }, { credential: 7 }, { credential });
    await expect(sending).rejects.toMatchObject({ code: 'INVALID_CONFIG', message: expect.stringContaining('path') });
    expect(calls.seen).toEqual([]);
  },
);

test('a value cannot add a parameter to the query, even if reserved characters are allowed', async () => {
  await send(parameter('query', { allow_reserved: true }), 'a&admin=1+2#b[c]');
  expect([...new URL(calls.last().url, calls.url).searchParams]).toEqual([['x-value', 'a&admin=1+2#b[c]']]);
});

test.each([
  ['query', {}],
  ['query', { style: 'deepObject' }],
  ['query', { style: 'pipeDelimited', explode: false }],
  ['cookie', {}],
] as const)('names of members in a %s are encoded %j', async (place, more) => {
  await send(parameter(place, more), { 'a&b;c=\r\nd': 'e' });
  const { url, headers } = calls.last();
  expect(url + String(headers['cookie'])).not.toMatch(/[\r\n]|a&b|b;c/);
});

test('a header accepts only characters of Latin-1', async () => {
  await send(parameter('header'), 'Müller');
  expect(Buffer.from(String(calls.last().headers['x-value']), 'latin1').toString('latin1')).toBe('Müller');
  await expect(send(parameter('header'), '日本')).rejects.toMatchObject({
    code: 'INVALID_CONFIG',
    message: expect.stringContaining('config.value: cannot be sent in a header'),
  });
});

test('a body beyond the limit of requests is refused before it is sent', async () => {
  const body = { field: 'body', media_type: 'application/json', as: 'json' } as const;
  const sending = calls.send({ method: 'POST', body }, { body: 'x'.repeat(11 * 1024 * 1024) });
  await expect(sending).rejects.toMatchObject({ code: 'HTTP_TOO_LARGE', retryable: false });
  expect(calls.seen).toEqual([]);
});

test('a value that is too long for a URL is refused before it is sent', async () => {
  await expect(send(parameter('query'), 'ä'.repeat(2_000))).rejects.toMatchObject({
    code: 'HTTP_INVALID_REQUEST',
    message: expect.stringContaining('longer than'),
    retryable: false,
  });
  expect(calls.seen).toEqual([]);
});

test('a manifest with wrong names is refused, and nothing is sent', async () => {
  await expect(calls.send({ headers: { 'x-a\r\nx-evil': '1' } })).rejects.toMatchObject({ code: 'INVALID_CONFIG' });
  await expect(calls.send({ path: '/a/{gone}' })).rejects.toMatchObject({ code: 'INVALID_CONFIG' });
  await expect(calls.send({ method: 'CONNECT' })).rejects.toMatchObject({ code: 'HTTP_INVALID_REQUEST' });
  expect(calls.seen).toEqual([]);
});
