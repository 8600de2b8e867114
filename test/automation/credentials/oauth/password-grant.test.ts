import { afterAll, beforeEach, describe, expect } from 'vitest';
import { StoredCredentialBroker } from '#src/automation/credentials/credential-broker.service.ts';
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
  plain.says = { expires_in: 3_600, refresh_token: 'plain-refresh-canary' };
});

const tenantId = 'acme-shop';
const token = (id: number) => accessToken(api.deps, tenantId, BigInt(id));
const config = () => {
  const { authorize_url: _, ...rest } = plain.config;
  return { ...rest, grant_type: 'password', username: 'shop-user', password: 'user-password-canary', scopes: 'write' };
};

describe('a credential by the name and password of a user', () => {
  test('is active at once, and its first use sends both in the form', async () => {
    const id = await world.create(config());
    expect(await world.status(id)).toBe('active');
    const tokens = await Promise.all(Array.from({ length: 5 }, () => token(id)));
    expect(new Set(tokens).size).toBe(1);
    const user = { username: 'shop-user', password: 'user-password-canary' };
    expect(plain.asked).toEqual([
      { grant_type: 'password', ...user, scope: 'write', by: expect.stringMatching(/^Basic /) },
    ]);
    await world.endAccessToken(id);
    expect(await token(id)).not.toBe(tokens[0]);
    expect(plain.asked.at(-1)).toMatchObject({ grant_type: 'password', ...user });
  });

  test('requests another token when the password changes, and gives no node the password', async () => {
    const id = await world.create(config());
    const first = await token(id);
    const changed = { ...config(), password: 'another-password-canary' };
    await call(api, 'PATCH', `/credentials/${id}`, { body: { config: changed } });
    expect(await token(id)).not.toBe(first);
    const broker = new StoredCredentialBroker(api.deps, {
      tenantId,
      fields: [{ key: 'credential', types: ['core:oauth2'] }],
      config: { credential: id },
    });
    expect(await broker.field('credential', 'password')).toBeNull();
    expect(await broker.field('credential', 'access_token')).toMatch(/^plain-access-canary/);
    expect(api.logLines.join('\n')).not.toMatch(/password-canary/);
  });

  test('says which field is missing', async () => {
    const { password: _, ...incomplete } = config();
    const body = { credential_type_slug: 'core:oauth2', config: incomplete };
    expect(await call(api, 'POST', '/credentials/test', { body })).toMatchObject({
      body: { ok: false, message: expect.stringContaining('has no password') },
    });
    const id = await world.create(config());
    expect(await call(api, 'POST', `/credentials/${id}/oauth/authorize-url`)).toMatchObject({ status: 422 });
  });
});
