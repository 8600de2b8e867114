import { expect, test } from 'vitest';
import type { CredentialUse } from '#src/automation/node-api/api-call.ts';
import { startCalls } from './sent-calls.ts';

const calls = await startCalls();

const token = 'tok/+ canary=';
const send = (sends: CredentialUse[] | undefined, fields: Record<string, string>, type = 'shop:key', call = {}) =>
  calls.send(
    { credential: 'credential', ...call },
    { credential: 7 },
    { credential: { type, fields, ...(sends && { sends }) } },
  );

test.each([
  [[{ as: 'header', name: 'X-Key', field: 'token' }], { 'x-key': token }],
  [
    [{ as: 'header', name: 'Authorization', field: 'token', prefix: 'Token token=' }],
    { authorization: `Token token=${token}` },
  ],
  [[{ as: 'bearer', field: 'token' }], { authorization: `Bearer ${token}` }],
  [[{ as: 'basic', username: 'user', password: 'token' }], { authorization: `Basic ${btoa(`me:${token}`)}` }],
  [[{ as: 'basic', username: 'token', password: 'none' }], { authorization: `Basic ${btoa(`${token}:`)}` }],
  [[{ as: 'cookie', name: 'sid', field: 'user' }], { cookie: 'sid=me' }],
  [[{ as: 'cookie', name: 'sid', field: 'token' }], { cookie: `sid=${encodeURIComponent(token)}` }],
  [
    [
      { as: 'header', name: 'App-Key', field: 'token' },
      { as: 'header', name: 'App-Id', field: 'user' },
      { as: 'cookie', name: 'sid', field: 'user' },
    ],
    { 'app-key': token, 'app-id': 'me', cookie: 'sid=me' },
  ],
] as [CredentialUse[], object][])('a credential is carried by %j', async (sends, headers) => {
  await send(sends, { token, user: 'me' });
  expect(calls.last().headers).toMatchObject(headers);
});

test('a key in the query replaces a parameter of the same name', async () => {
  await send([{ as: 'query', name: 'api key', field: 'token' }], { token }, 'shop:key', {
    path: '/a?b=c&api%20key=mine',
  });
  expect(calls.last().url).toBe(`/a?b=c&api%20key=${encodeURIComponent(token)}`);
});

test('cookies of the credential are sent together with those of parameters', async () => {
  const parameters = [{ field: 'x', name: 'x', in: 'cookie', style: 'form', explode: true }];
  await calls.send(
    { credential: 'credential', parameters: parameters as never },
    { credential: '7', x: 'y' },
    { credential: { sends: [{ as: 'cookie', name: 'sid', field: 'token' }], fields: { token: 's1' } } },
  );
  expect(calls.last().headers['cookie']).toBe('x=y; sid=s1');
});

test('values derived from a secret are reported for redaction', async () => {
  await send(
    [
      { as: 'basic', username: 'user', password: 'token' },
      { as: 'query', name: 'k', field: 'token' },
    ],
    { token, user: 'me' },
  );
  expect(calls.derived).toEqual([btoa(`me:${token}`), encodeURIComponent(token)]);
});

test.each([
  ['core:bearer', { token: 'a' }, { authorization: 'Bearer a' }],
  ['core:oauth2', { access_token: 'a' }, { authorization: 'Bearer a' }],
  ['core:api-key', { header: 'X-K', value: 'a' }, { 'x-k': 'a' }],
  ['core:basic', { username: 'a', password: 'b' }, { authorization: `Basic ${btoa('a:b')}` }],
] as [string, Record<string, string>, object][])(
  'requests carry the type %s in the same way as core:http-request',
  async (type, fields, headers) => {
    await send(undefined, fields, type);
    expect(calls.last().headers).toMatchObject(headers);
  },
);

test.each([
  ['CREDENTIAL_UNUSABLE', undefined, {}],
  ['CREDENTIAL_INCOMPLETE', [{ as: 'bearer' }], {}],
  ['CREDENTIAL_INCOMPLETE', [{ as: 'header', name: 'x', field: 'token' }], { token: '' }],
  ['CREDENTIAL_UNUSABLE', [{ as: 'header', name: 'x', field: 'token' }], { token: 'a\r\nx-evil: 1' }],
  ['INVALID_CONFIG', [{ as: 'header', name: 'x\r\ny', field: 'token' }], { token: 'a' }],
  ['CREDENTIAL_INCOMPLETE', [], { base_url: 'ftp://x' }],
] as [string, CredentialUse[] | undefined, Record<string, string>][])(
  'fails with %s instead of sending %j %j',
  async (code, sends, fields) => {
    const sending = send(sends, fields);
    await expect(sending).rejects.toMatchObject({ code });
    await expect(sending).rejects.not.toMatchObject({ message: expect.stringContaining('x-evil') });
    expect(calls.seen).toEqual([]);
  },
);

test('the host of the credential is preferred to those of the config and the description', async () => {
  await calls.send(
    { credential: 'credential', base_url: 'https://never.example' },
    { credential: 7, base_url: 'https://nor.example' },
    { credential: { sends: [], fields: { base_url: `${calls.url}/own/` } } },
  );
  expect(calls.last().url).toBe('/own/items');
});

test('a call without a credential is sent without one', async () => {
  await calls.send({ credential: 'credential' }, { credential: '' });
  expect(calls.seen).toHaveLength(1);
});

test('a request with a credential is refused over plain http to a host that is not allowed', async () => {
  const sending = calls.send(
    { credential: 'credential', base_url: 'http://api.example' },
    { credential: 7 },
    { credential: { sends: [{ as: 'bearer', field: 'token' }], fields: { token } } },
  );
  await expect(sending).rejects.toMatchObject({ code: 'HTTP_REFUSED_PROTOCOL', retryable: false });
});
