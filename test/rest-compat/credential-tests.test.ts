import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect } from 'vitest';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { call } from './rest.ts';

const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const invalid = 'The given data was invalid.';
const canary = 'canary-token-4711';

let api: TestApp;
/** Answers `status` to everything, and keeps the headers of the last request. */
let receiver: Server & { status: number; seen: IncomingHttpHeaders | null };
let receiverUrl: string;
test.beforeAll(async ({ api: started }) => {
  api = started;
  receiver = Object.assign(
    createServer((request, response) => {
      receiver.seen = request.headers;
      response.writeHead(receiver.status).end(`You sent ${request.headers.authorization}`);
    }),
    { status: 200, seen: null },
  );
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const { port } = receiver.address() as AddressInfo;
  receiverUrl = `http://127.0.0.1:${port}/me`;
  api.egressAllow.add(`127.0.0.1:${port}`);
});
afterAll(async () => {
  receiver.close();
});

async function make(config: object): Promise<{ id: number }> {
  const body = { credential_type_slug: 'core:bearer', name: 'Bearer', config };
  const made = await call(api, 'POST', '/credentials', { body });
  expect(made.status).toBe(201);
  return { id: Number(made.body['id']) };
}

const stored = () => api.database.withTenant('acme-shop', (tx) => tx.credential.count());
describe('the test of a credential', () => {
  test('reports whether an unsaved config works, and stores nothing', async () => {
    receiver.status = 200;
    const before = await stored();
    const body = { credential_type_slug: 'core:bearer', config: { token: canary, test_url: receiverUrl } };
    const passed = await call(api, 'POST', '/credentials/test', { body, as: { roles: ['user'] } });
    expect(passed).toMatchObject({ status: 200, body: { ok: true, message: 'The test URL answered 200.' } });
    expect(receiver.seen?.authorization).toBe(`Bearer ${canary}`);
    receiver.status = 401;
    const refused = await call(api, 'POST', '/credentials/test', { body });
    expect(refused).toMatchObject({ status: 200, body: { ok: false, message: 'The test URL answered 401.' } });
    expect(Object.keys(refused.body)).toEqual(['ok', 'message']);
    expect(await stored()).toBe(before);
  });

  test.each([
    ['core:basic', { username: 'u', password: canary }, 'authorization', `Basic ${btoa(`u:${canary}`)}`],
    ['core:api-key', { header: 'X-Key', value: canary }, 'x-key', canary],
  ])('sends the header of %s', async (credential_type_slug, config, header, value) => {
    receiver.status = 204;
    const body = { credential_type_slug, config: { ...config, test_url: receiverUrl } };
    expect((await call(api, 'POST', '/credentials/test', { body })).body).toMatchObject({ ok: true });
    expect(receiver.seen?.[header]).toBe(value);
  });

  test.each([
    ['a config that its type refuses', { config: {} }, 'The field "Token" is required.'],
    [
      'a plain http host',
      { config: { token: canary, test_url: 'http://shop.invalid/' } },
      expect.stringContaining('Only https may be called here'),
    ],
    ['a private address', { config: { token: canary, test_url: 'https://127.0.0.1:1/' } }, expect.any(String)],
    ['a token that no header holds', { config: { token: `${canary}\n`, test_url: 'URL' } }, expect.any(String)],
    [
      'an authorisation that was never made',
      { credential_type_slug: 'core:oauth2', config: oauthConfig() },
      expect.stringContaining('connect'),
    ],
  ])('fails, with 200, for %s', async (_name, more, message) => {
    const body = JSON.stringify({ credential_type_slug: 'core:bearer', ...more }).replace(
      '"URL"',
      JSON.stringify(receiverUrl),
    );
    const answer = await call(api, 'POST', '/credentials/test', { body });
    expect(answer).toMatchObject({ status: 200, body: { ok: false, message } });
    expect(answer.text).not.toContain(canary);
  });

  test('does not pass if there is no test URL, and says that nothing was called', async () => {
    const body = { credential_type_slug: 'core:bearer', config: { token: canary } };
    expect(await call(api, 'POST', '/credentials/test', { body })).toMatchObject({
      status: 200,
      body: { ok: false, message: expect.stringContaining('nothing was called') },
    });
  });

  test('refuses a value that is not a test', async () => {
    for (const [body, field] of [
      [{ config: {} }, 'credential_type_slug'],
      [{ credential_type_slug: 'core:none', config: {} }, 'credential_type_slug'],
      [{ credential_type_slug: 'core:bearer' }, 'config'],
    ] as const) {
      expect(await call(api, 'POST', '/credentials/test', { body })).toMatchObject({
        status: 422,
        body: { message: invalid, errors: { [field]: [expect.any(String)] } },
      });
    }
  });

  test('stores its outcome with a stored credential, and changes nothing else', async () => {
    receiver.status = 503;
    const { id } = await make({ token: canary, test_url: receiverUrl });
    const before = await call(api, 'GET', `/credentials/${id}`);
    const tested = await call(api, 'POST', `/credentials/${id}/test`, { as: { roles: ['user'] } });
    expect(tested.status).toBe(200);
    expect(tested.body).toEqual({
      ok: false,
      message: 'The test URL answered 503.',
      last_test_at: iso,
      last_test_ok: false,
    });
    const after = await call(api, 'GET', `/credentials/${id}`);
    expect(after.body).toEqual({
      ...before.body,
      last_test_at: tested.body['last_test_at'],
      last_test_ok: false,
      last_test_message: 'The test URL answered 503.',
    });
  });

  test('never writes a secret to the log', () => {
    expect(api.logLines.join('')).not.toContain(canary);
  });
});

function oauthConfig() {
  return {
    authorize_url: 'https://id.example.com/a',
    token_url: 'https://id.example.com/t',
    client_id: 'c',
    client_secret: canary,
    test_url: 'https://id.example.com/me',
  };
}
