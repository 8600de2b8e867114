import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeEach, describe, expect } from 'vitest';
import { StoredCredentialBroker } from '#src/automation/credentials/credential-broker.service.ts';
import { readCredential } from '#src/automation/credentials/credentials.store.ts';
import { accessToken } from '#src/automation/credentials/oauth/token-refresh.service.ts';
import { call } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { type OAuthWorld, startOAuthWorld } from './connect.ts';
import { type PlainProvider, startPlainProvider } from './plain-provider.ts';

let world: OAuthWorld;
let plain: PlainProvider;
let api: TestApp;
test.beforeAll(async ({ api: started }) => {
  api = started;
  world = await startOAuthWorld(api);
  plain = await startPlainProvider();
  api.egressAllow.add(plain.host);
});
afterAll(async () => {
  await plain.close();
  await world.close();
});
beforeEach(() => {
  plain.asked.length = 0;
  plain.says = { expires_in: 3_600 };
});

const tenantId = 'acme-shop';
const token = (id: number) => accessToken(api.deps, tenantId, BigInt(id));
const createBroker = (id: number) =>
  new StoredCredentialBroker(api.deps, {
    tenantId,
    fields: [{ key: 'credential', types: ['core:oauth2'] }],
    config: { credential: id },
  });
const plainConfig = () => {
  const { authorize_url: _, ...config } = plain.config;
  return { ...config, grant_type: 'client_credentials' };
};
const change = (id: number, config: object) => call(api, 'PATCH', `/credentials/${id}`, { body: { config } });

async function countRequests(work: () => Promise<unknown>): Promise<number> {
  const before = world.provider.tokenRequests;
  await work();
  return world.provider.tokenRequests - before;
}

describe('a credential by client credentials', () => {
  test('works immediately, and requests one token that all share until it is due', async () => {
    const id = await world.create(world.provider.config('machine'));
    expect(await world.status(id)).toBe('active');
    const tokens: string[] = [];
    const asked = await countRequests(async () => {
      tokens.push(...(await Promise.all(Array.from({ length: 20 }, () => token(id)))));
      tokens.push(await token(id));
    });
    expect(asked).toBe(1);
    expect(new Set(tokens).size).toBe(1);
    const { grant, refreshAt, expiresAt } = (await readCredential(api.deps, tenantId, BigInt(id))) ?? {};
    expect(grant).toMatchObject({ grant_type: 'client_credentials', access_token: tokens[0], refresh_token: null });
    // It is renewed before its token ends, and does not expire itself.
    expect((refreshAt as Date).getTime() - Date.now()).toBeGreaterThan(3_500_000);
    expect(expiresAt).toBeNull();

    await world.endAccessToken(id);
    expect(await countRequests(async () => expect(await token(id)).not.toBe(tokens[0]))).toBe(1);
    expect(await world.status(id)).toBe('active');
  });

  test('sends scope, audience and resource, with the secret in a header or in the form', async () => {
    const id = await world.create({ ...plainConfig(), scopes: 'a b', audience: 'https://api', resource: 'urn:x' });
    await token(id);
    const parameters = { grant_type: 'client_credentials', scope: 'a b', audience: 'https://api', resource: 'urn:x' };
    const basic = Buffer.from('shop:plain-client-secret-canary').toString('base64');
    expect(plain.asked).toEqual([{ ...parameters, by: `Basic ${basic}` }]);
    await change(id, { ...plainConfig(), client_authentication: 'post' });
    await token(id);
    const inForm = { client_id: 'shop', client_secret: 'plain-client-secret-canary' };
    expect(plain.asked.at(-1)).toEqual({ grant_type: 'client_credentials', ...inForm, by: '' });
  });

  test('requests another token when its config changes, and when the API rejects the current one', async () => {
    const id = await world.create(plainConfig());
    const first = await token(id);
    await change(id, { ...plainConfig(), test_url: plain.url });
    expect(await token(id)).toBe(first);
    await change(id, { ...plainConfig(), client_secret: 'another-secret-canary', test_url: plain.url });
    expect(await token(id)).not.toBe(first);
    plain.endSessions();
    expect(await call(api, 'POST', `/credentials/${id}/test`)).toMatchObject({ body: { ok: true } });
    expect(plain.asked).toHaveLength(3);
  });

  test('keeps the expiry that a user entered', async () => {
    const id = await world.create(plainConfig());
    const until = '2030-01-01T00:00:00.000Z';
    await call(api, 'PATCH', `/credentials/${id}`, { body: { expires_at: until } });
    await token(id);
    expect((await readCredential(api.deps, tenantId, BigInt(id)))?.expiresAt?.toISOString()).toBe(until);
  });

  test('gives nodes the members of the token response, but never its secret, from the first use on', async () => {
    plain.says = { expires_in: 3_600, instance_url: plain.url };
    const broker = createBroker(await world.create(plainConfig()));
    expect(await broker.field('credential', 'client_secret')).toBeNull();
    expect(await broker.field('credential', 'instance_url')).toBe(plain.url);
    expect(await broker.field('credential', 'access_token')).toMatch(/^plain-access-canary/);
    expect(plain.asked).toHaveLength(1);
  });

  test('with a refused client stays active, and says what to check', async () => {
    const config = { ...world.provider.config('machine'), client_secret: 'wrong-secret-canary' };
    const id = await world.create(config);
    const message = expect.stringContaining('the provider answered invalid_client') as string;
    expect(
      await createBroker(id)
        .field('credential', 'access_token')
        .catch((error: unknown) => error),
    ).toMatchObject({
      code: 'CREDENTIAL_UNUSABLE',
      message,
      retryable: false,
    });
    expect(await world.status(id)).toBe('active');
    const body = { credential_type_slug: 'core:oauth2', config };
    expect(await call(api, 'POST', '/credentials/test', { body })).toMatchObject({ body: { ok: false, message } });
    await change(id, world.provider.config('machine'));
    expect(await token(id)).toEqual(expect.any(String));
    expect(api.logLines.join('\n')).not.toMatch(/(wrong|machine-client)-secret-canary/);
  });

  test('is tested by requesting a token, whether it is stored or not', async () => {
    const config = world.provider.config('machine');
    const body = { credential_type_slug: 'core:oauth2', config };
    const ok = { status: 200, body: { ok: true, message: expect.stringContaining('gave an access token') } };
    expect(
      await countRequests(async () => expect(await call(api, 'POST', '/credentials/test', { body })).toMatchObject(ok)),
    ).toBe(1);
    expect(await call(api, 'POST', `/credentials/${await world.create(config)}/test`)).toMatchObject(ok);
  });

  test('needs no authorisation by a user, and connects again when its grant type changes', async () => {
    const id = await world.create(plainConfig());
    await token(id);
    expect(await call(api, 'POST', `/credentials/${id}/oauth/authorize-url`)).toMatchObject({
      status: 422,
      body: { message: expect.stringContaining('client credentials') },
    });
    await change(id, plain.config);
    expect(await world.status(id)).toBe('pending');
    await change(id, plainConfig());
    expect(await world.status(id)).toBe('active');
    expect(await token(id)).toMatch(/^plain-access-canary/);
  });

  test('is retried while the provider is down', async () => {
    const id = await world.create(world.provider.config('machine'));
    world.provider.mode = 'down';
    const failed = await createBroker(id)
      .field('credential', 'access_token')
      .catch((error: unknown) => error);
    world.provider.mode = 'up';
    expect(failed).toMatchObject({ code: 'CREDENTIAL_UNAVAILABLE', retryable: true });
    await delay(10);
    expect(await token(id)).toEqual(expect.any(String));
  });
});

test('an authorisation URL is required if a user authorises', async () => {
  const { authorize_url: _, ...config } = plain.config;
  const answer = await call(api, 'POST', '/credentials', {
    body: { credential_type_slug: 'core:oauth2', name: 'No URL', config },
  });
  expect(answer).toMatchObject({
    status: 422,
    body: {
      errors: { config: ['The field "Authorisation URL" is required, unless "grant_type" is "client_credentials".'] },
    },
  });
});
