import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import * as client from 'openid-client';
import { describe, expect, vi } from 'vitest';
import { AuthorizationCodes } from '#src/identity/dev-sign-in/authorization-codes.ts';
import { RefreshTokens } from '#src/identity/dev-sign-in/refresh-tokens.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { browserIsMissing, launchBrowser, skippedSuffix } from '#test/setup/browser.ts';
import { startsProcesses } from '#test/setup/timeouts.ts';

const issuer = 'http://localhost/dev/oidc';
const callback = 'http://localhost:4000/console/callback';
const authorizeUrl = '/dev/oidc/authorize';
let api: TestApp;
let config: client.Configuration;

/** Lets openid-client, which checks what a provider answers, talk to the app under test. */
const throughApp: client.CustomFetch = async (url, { method, headers, body }) => {
  const answer = await api.app.inject({
    method: method as 'GET',
    url,
    headers,
    ...(body != null && { payload: new URLSearchParams(body as URLSearchParams).toString() }),
  });
  return new Response(answer.body, { status: answer.statusCode, headers: answer.headers as Record<string, string> });
};

test.beforeAll(async ({ api: started }) => {
  api = started;
  config = await client.discovery(new URL(issuer), 'causeway-console', undefined, client.None(), {
    execute: [client.allowInsecureRequests],
    [client.customFetch]: throughApp,
  });
});

interface Attempt {
  verifier: string;
  parameters: Record<string, string>;
}

async function attempt(more: Record<string, string> = {}): Promise<Attempt> {
  const verifier = client.randomPKCECodeVerifier();
  const challenge = await client.calculatePKCECodeChallenge(verifier);
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: callback,
    scope: 'openid offline_access',
    state: 'some state',
    nonce: 'some-nonce',
    code_challenge: challenge,
    code_challenge_method: 'S256',
  });
  return { verifier, parameters: { ...Object.fromEntries(url.searchParams), ...more } };
}

const form = { 'content-type': 'application/x-www-form-urlencoded' };
const post = (url: string, members: Record<string, string>) =>
  api.app.inject({ method: 'POST', url, headers: form, payload: new URLSearchParams(members).toString() });

/** The address that the browser is sent to after the form. */
async function signIn(parameters: Record<string, string>, choice: Record<string, string> = {}): Promise<URL> {
  const answer = await post(authorizeUrl, { ...parameters, role: 'admin', place: 'acme', ...choice });
  expect(answer.statusCode, answer.body).toBe(303);
  return new URL(String(answer.headers.location));
}

async function tokens(choice: Record<string, string> = {}) {
  const { verifier, parameters } = await attempt();
  const returned = await signIn(parameters, choice);
  return client.authorizationCodeGrant(config, returned, {
    pkceCodeVerifier: verifier,
    expectedState: 'some state',
    expectedNonce: 'some-nonce',
  });
}

const me = async (token: string, tenant: string): Promise<unknown> =>
  (await api.graphql('{ me { claims { sub } context { tenantId roles } } }', {}, { bearer: token, tenant })).data;

describe('the development sign-in', () => {
  test('offers the roles and the tenants on a page that no other page can frame', async () => {
    const { parameters } = await attempt({ state: '"><script>alert(1)</script>' });
    const page = await api.app.inject({ url: authorizeUrl, query: parameters });
    expect(page.statusCode).toBe(200);
    expect(page.headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(page.headers['content-security-policy']).toContain("form-action 'self' http://localhost:4000");
    expect(page.body).toContain('value="admin" checked');
    expect(page.body).toContain('value="acme/acme-shop"');
    expect(page.body).not.toContain('<script>');
  });

  test('gives a client tokens that the API takes and that name the chosen user', async () => {
    const granted = await tokens({ place: 'acme' });
    expect(granted.claims()).toMatchObject({ sub: 'dev-admin', aud: 'causeway-console' });
    expect(await me(granted.access_token, 'acme-shop')).toEqual({
      me: { claims: { sub: 'dev-admin' }, context: { tenantId: 'acme-shop', roles: ['admin'] } },
    });
  });

  test('limits a sign-in to the chosen tenant', async () => {
    const { access_token } = await tokens({ place: 'acme/acme-shop', role: 'user' });
    expect(await me(access_token, 'acme-shop')).toMatchObject({ me: { context: { roles: ['user'] } } });
    expect(await me(access_token, 'acme-outlet')).toMatchObject({ me: { context: { tenantId: null } } });
  });

  test('does not let an id token into the API', async () => {
    const { id_token = '' } = await tokens();
    const answer = await api.graphql('{ me { claims { sub } } }', {}, { bearer: id_token });
    expect(JSON.stringify(answer)).toContain('UNAUTHENTICATED');
  });

  test.for([
    ['an unknown client', { client_id: 'other' }, 'client_id is unknown'],
    ['a redirect URI with a longer path', { redirect_uri: `${callback}/more` }, 'redirect_uri is none'],
    ['a redirect URI on another port', { redirect_uri: 'http://localhost:4001/console/callback' }, 'redirect_uri is'],
    ['a redirect URI off this machine', { redirect_uri: 'https://example.com/console/callback' }, 'redirect_uri is'],
  ] as const)('refuses %s on a page and redirects nowhere', async ([, change, message]) => {
    const { parameters } = await attempt(change);
    for (const answer of [
      await api.app.inject({ url: authorizeUrl, query: parameters }),
      await post(authorizeUrl, { ...parameters, role: 'admin', place: 'acme' }),
    ]) {
      expect(answer.statusCode).toBe(400);
      expect(answer.headers.location).toBeUndefined();
      expect(answer.body).toContain(message);
    }
  });

  test.for([
    ['another flow', { response_type: 'token' }, 'unsupported_response_type'],
    ['the plain PKCE method', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['a challenge of another length', { code_challenge: 'short' }, 'invalid_request'],
    ['a scope without openid', { scope: 'profile' }, 'invalid_scope'],
  ] as const)('tells the client of %s by a redirect with its state', async ([, change, code]) => {
    const { parameters } = await attempt(change);
    const answer = await api.app.inject({ url: authorizeUrl, query: parameters });
    expect(answer.statusCode).toBe(303);
    const { origin, searchParams } = new URL(String(answer.headers.location));
    expect(origin).toBe('http://localhost:4000');
    expect(searchParams.get('error')).toBe(code);
    expect(searchParams.get('state')).toBe('some state');
  });

  test.for([
    ['a role that does not exist', { role: 'root' }],
    ['an organisation that does not exist', { place: 'nobody' }],
    ['a tenant of another organisation', { place: 'acme/other-shop' }],
  ] as const)('refuses %s', async ([, choice]) => {
    const { parameters } = await attempt();
    const answer = await post(authorizeUrl, { ...parameters, role: 'admin', place: 'acme', ...choice });
    expect(answer.statusCode).toBe(400);
  });
});

describe('a browser that has signed in', () => {
  const authorize = async (cookie: string | undefined, more: Record<string, string> = {}) => {
    const { verifier, parameters } = await attempt(more);
    const headers = cookie === undefined ? {} : { cookie: `other=1; ${cookie}` };
    return { verifier, answer: await api.app.inject({ url: authorizeUrl, query: parameters, headers }) };
  };
  const located = ({ headers }: { headers: Record<string, unknown> }) => new URL(String(headers['location']));

  async function signedInCookie(choice: Record<string, string> = {}): Promise<string> {
    const { parameters } = await attempt();
    const { headers } = await post(authorizeUrl, { ...parameters, role: 'user', place: 'acme/acme-shop', ...choice });
    expect(headers['set-cookie']).toMatch(/; Path=\/dev\/oidc; HttpOnly; SameSite=Lax$/);
    return String(headers['set-cookie']).split(';')[0] ?? '';
  }

  test('comes back as the same user in the same tenant without being asked', async () => {
    const { verifier, answer } = await authorize(await signedInCookie());
    expect(answer.statusCode).toBe(303);
    const granted = await client.authorizationCodeGrant(config, located(answer), {
      pkceCodeVerifier: verifier,
      expectedState: 'some state',
      expectedNonce: 'some-nonce',
    });
    expect(granted.claims()?.sub).toBe('dev-user');
    expect(await me(granted.access_token, 'acme-outlet')).toMatchObject({ me: { context: { tenantId: null } } });
  });

  test('is asked where the client wants that', async () => {
    const { answer } = await authorize(await signedInCookie(), { prompt: 'login' });
    expect(answer.statusCode).toBe(200);
    expect(answer.body).toContain('Sign in as');
  });

  test('is asked again after signing out', async () => {
    const { headers } = await api.app.inject({ url: '/dev/oidc/end_session' });
    expect(headers['set-cookie']).toMatch(/^causeway-sign-in-80=; .*Max-Age=0$/);
  });

  test.for([
    ['none', undefined],
    ['one of another server', 'causeway-sign-in-4000=x'],
    ['one that nobody signed', 'causeway-sign-in-80=eyJhbGciOiJub25lIn0.eyJyb2xlIjoiYWRtaW4ifQ.'],
  ] as const)(
    'is asked with %s for a cookie, and refused without a page where that is forbidden',
    async ([, cookie]) => {
      expect((await authorize(cookie)).answer.statusCode).toBe(200);
      const { answer } = await authorize(cookie, { prompt: 'none' });
      expect(located(answer).searchParams.get('error')).toBe('login_required');
      expect(located(answer).searchParams.get('state')).toBe('some state');
    },
  );

  test('cannot use its cookie as a token', async () => {
    const [, token = ''] = (await signedInCookie({ role: 'admin' })).split('=');
    const answer = await api.graphql('{ me { claims { sub } } }', {}, { bearer: token });
    expect(JSON.stringify(answer)).toContain('UNAUTHENTICATED');
  });
});

describe('the token endpoint', () => {
  const exchange = (code: string, verifier: string, more: Record<string, string> = {}) =>
    post('/dev/oidc/token', {
      grant_type: 'authorization_code',
      client_id: 'causeway-console',
      redirect_uri: callback,
      code,
      code_verifier: verifier,
      ...more,
    });

  async function code(): Promise<{ code: string; verifier: string }> {
    const { verifier, parameters } = await attempt();
    return { verifier, code: (await signIn(parameters)).searchParams.get('code') ?? '' };
  }

  test('takes a code once', async () => {
    const { code: once, verifier } = await code();
    expect((await exchange(once, verifier)).statusCode).toBe(200);
    const again = await exchange(once, verifier);
    expect(again.statusCode).toBe(400);
    expect(again.json()).toMatchObject({ error: 'invalid_grant' });
    expect(again.headers['cache-control']).toBe('no-store');
  });

  test.for([
    ['the wrong verifier', { code_verifier: client.randomPKCECodeVerifier() }],
    ['no verifier', { code_verifier: '' }],
    ['another client', { client_id: 'other' }],
    ['another redirect URI', { redirect_uri: 'http://localhost:4000/other' }],
  ] as const)('refuses a code with %s, and spends it', async ([, change]) => {
    const { code: spent, verifier } = await code();
    expect((await exchange(spent, verifier, change)).statusCode).toBe(400);
    expect((await exchange(spent, verifier)).statusCode).toBe(400);
  });

  test('refuses a grant that it does not know, and a body that is no form', async () => {
    expect((await post('/dev/oidc/token', { grant_type: 'password' })).json()).toMatchObject({
      error: 'unsupported_grant_type',
    });
    const json = await api.app.inject({ method: 'POST', url: '/dev/oidc/token', payload: { grant_type: 'password' } });
    expect(json.statusCode).toBe(415);
  });

  test('changes the refresh token with every use, and ends the session when an old one comes back', async () => {
    const { refresh_token: first = '' } = await tokens();
    const second = await client.refreshTokenGrant(config, first);
    expect(second.refresh_token).not.toBe(first);
    expect(await me(second.access_token, 'acme-shop')).toMatchObject({ me: { claims: { sub: 'dev-admin' } } });
    await expect(client.refreshTokenGrant(config, first)).rejects.toMatchObject({ error: 'invalid_grant' });
    await expect(client.refreshTokenGrant(config, second.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    });
  });

  test('gives no refresh token unless it was asked for', async () => {
    const { verifier, parameters } = await attempt({ scope: 'openid' });
    const { searchParams } = await signIn(parameters);
    const answer = await exchange(searchParams.get('code') ?? '', verifier);
    expect(answer.json()).not.toHaveProperty('refresh_token');
  });

  test('ends the sessions of a user who signs out, and returns only to an address of the client', async () => {
    const { id_token: hint = '', refresh_token: refresh = '' } = await tokens();
    const end = (query: Record<string, string>) => api.app.inject({ url: '/dev/oidc/end_session', query });
    expect((await end({ id_token_hint: hint, post_logout_redirect_uri: 'https://example.com/' })).statusCode).toBe(400);
    const answer = await end({ id_token_hint: hint, post_logout_redirect_uri: callback, state: 'out' });
    expect(answer.headers.location).toBe(`${callback}?state=out`);
    await expect(client.refreshTokenGrant(config, refresh)).rejects.toMatchObject({ error: 'invalid_grant' });
  });
});

describe('codes and sessions', () => {
  const request = { clientId: 'console', redirectUri: callback, scope: 'openid', codeChallenge: '' };
  const started = { clientId: 'console', scope: 'openid', claims: { sub: 'dev-user' } };

  test('a code is refused after 60 s', async () => {
    const verifier = client.randomPKCECodeVerifier();
    const codeChallenge = await client.calculatePKCECodeChallenge(verifier);
    const now = vi.fn<() => number>(() => 0);
    const codes = new AuthorizationCodes(now);
    const [one, other] = [1, 2].map(() => codes.issue({ request: { ...request, codeChallenge }, claims: {} }));
    const exchange = { clientId: 'console', redirectUri: callback, verifier };
    now.mockReturnValue(59_999);
    expect(codes.redeem(one as string, exchange)).toBeDefined();
    now.mockReturnValue(60_000);
    expect(codes.redeem(other as string, exchange)).toBeUndefined();
  });

  test('sessions outlive a restart, as hashes in a file, and end after 12 hours without use', async () => {
    const file = join(api.dataDir, 'sessions.json');
    const now = vi.fn<() => number>(() => 0);
    const token = await new RefreshTokens(file, now).begin(started);
    expect(await readFile(file, 'utf8')).not.toContain(token.split('.')[1]);
    const restarted = new RefreshTokens(file, now);
    const next = await restarted.rotate(token, 'console');
    expect(next?.session.claims).toEqual({ sub: 'dev-user' });
    now.mockReturnValue(12 * 3_600_000);
    expect(await restarted.rotate(next?.token ?? '', 'console')).toBeUndefined();
  });

  test('at most 200 sessions are kept, those that were used last', async () => {
    const sessions = new RefreshTokens(join(api.dataDir, 'many.json'));
    const begun: string[] = [];
    for (let count = 0; count < 201; count++) begun.push(await sessions.begin(started));
    expect(await sessions.rotate(begun[0] as string, 'console')).toBeUndefined();
    expect(await sessions.rotate(begun[200] as string, 'console')).toBeDefined();
  });
});

describe.skipIf(browserIsMissing)(`the page in a browser${skippedSuffix}`, () => {
  test('sends the user back to the client with a code, by keyboard alone', startsProcesses, async () => {
    await api.app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = api.app.server.address() as AddressInfo;
    const browser = await launchBrowser();
    try {
      const page = await browser.newPage();
      const { verifier, parameters } = await attempt();
      await page.goto(`http://127.0.0.1:${port}${authorizeUrl}?${new URLSearchParams(parameters)}`);
      await page.getByRole('radio', { name: 'Administrator' }).focus();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Tab');
      await page.getByLabel('Organisation and tenants').selectOption('acme/acme-shop');
      // The client of this address is not running; that the browser asks it for the page is enough.
      const returned = page.waitForRequest((request) => request.url().startsWith(callback));
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      const back = new URL((await returned).url());
      const granted = await client.authorizationCodeGrant(config, back, {
        pkceCodeVerifier: verifier,
        expectedState: 'some state',
        expectedNonce: 'some-nonce',
      });
      expect(granted.claims()?.sub).toBe('dev-user');
    } finally {
      await browser.close();
    }
  });
});

test('browser clients read from the server how to sign in', async () => {
  const answer = await api.app.inject({ url: '/console/config.json' });
  expect(answer.json()).toEqual({
    issuer,
    client_id: 'causeway-console',
    scopes: ['openid', 'profile', 'email', 'offline_access'],
    audience: 'causeway',
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    build: null,
  });
});
