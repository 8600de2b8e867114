import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { generateKeyPair, SignJWT } from 'jose';
import { Provider } from 'oidc-provider';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, vi } from 'vitest';
import { readEnv } from '#src/process/env.ts';
import { openIdentity } from '#src/process/identity.ts';
import { call } from '#test/rest-compat/rest.ts';
import { test as base } from '#test/setup/app-test.ts';

const audience = 'causeway';
const discoveryPath = '/.well-known/openid-configuration';

let server: Server;
let url: string;
/** The paths that were asked for, and those that answer 503 now. */
let asked: string[] = [];
let failing: string[] = [];

beforeAll(async () => {
  server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(url, {
    clients: [
      {
        client_id: 'erp',
        client_secret: 'erp-secret',
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
      },
    ],
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => 'urn:causeway',
        getResourceServerInfo: () => ({ scope: 'api', audience, accessTokenFormat: 'jwt' }),
      },
    },
    extraTokenClaims: () => ({ roles: ['admin'], org_id: 'acme', tenant_id: 'acme-shop' }),
  });
  const answer = provider.callback();
  server.on('request', (request, response) => {
    asked.push(request.url as string);
    if (failing.includes(request.url as string)) response.writeHead(503).end();
    else void answer(request, response);
  });
});
afterAll(() => new Promise((resolve) => server.close(resolve)));
beforeEach(() => {
  asked = [];
  failing = [];
});

const fetchToken = async (): Promise<string> => {
  const response = await fetch(`${url}/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from('erp:erp-secret').toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'api' }),
  });
  return ((await response.json()) as { access_token: string }).access_token;
};

const { privateKey } = await generateKeyPair('ES256');
const exp = Math.floor(Date.now() / 1_000) + 3_600;
/** A token of a key that the provider does not know. */
const forged = (kid: string) =>
  new SignJWT({ iss: url, aud: audience, sub: 'someone', exp })
    .setProtectedHeader({ alg: 'ES256', kid })
    .sign(privateKey);

/** `open(changes)`: the app as a process of this environment opens it. */
const test = base.extend(
  'open',
  { scope: 'file' },
  async ({ startBeside }) =>
    async (changes: NodeJS.ProcessEnv = {}) => {
      const { verifier } = await openIdentity(readEnv({ OIDC_ISSUER: url, ...changes }), 4000);
      const api = await startBeside({ verifier });
      return (bearer: string, tenant: string | null = 'acme-shop') =>
        call(api, 'GET', '/me', { as: { bearer, tenant } });
    },
);

/** Calls `me` twenty times, half of them concurrently, with tokens of as many unknown keys. */
async function twentyForgeries(me: (bearer: string) => ReturnType<typeof call>): Promise<Set<number>> {
  const tokens = await Promise.all(Array.from({ length: 20 }, (_, at) => forged(`unknown-${at}`)));
  const atOnce = await Promise.all(tokens.slice(10).map((token) => me(token)));
  const statuses = new Set(atOnce.map(({ status }) => status));
  for (const token of tokens.slice(0, 10)) statuses.add((await me(token)).status);
  return statuses;
}

const stopTheClock = () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
};
const later = (ms: number) => vi.setSystemTime(Date.now() + ms);
const timesAsked = (path: string) => asked.filter((one) => one === path).length;

describe('with an OpenID provider', () => {
  test('tokens are accepted once the keys were found by discovery', async ({ open }) => {
    const me = await open();
    expect(await me(await fetchToken())).toMatchObject({
      status: 200,
      body: { user: { idp_id: 'erp' }, context: { tenant_id: 'acme-shop', roles: ['admin'] }, claims: { iss: url } },
    });
  });

  test('a token is not refused as invalid because the provider cannot be reached', async ({ open }) => {
    const me = await open({ OIDC_ISSUER: 'http://127.0.0.1:9' });
    expect(await me(await forged('any'))).toMatchObject({
      status: 503,
      body: { message: 'The identity provider cannot be reached.' },
    });
  });

  test.for([
    ['cannot be reached', 'http://127.0.0.1:9', /127\.0\.0\.1:9/],
    ['calls itself otherwise', (own: string) => `${own}/`, /set OIDC_ISSUER to exactly that/],
  ] as const)('the log says why a provider that %s gives no keys', async ([, issuer, reason]) => {
    const warned: object[] = [];
    const given = typeof issuer === 'string' ? issuer : issuer(url);
    const { verifier } = await openIdentity(readEnv({ OIDC_ISSUER: given }), 4000, {
      warn: (line: unknown) => void warned.push(line as object),
    });
    await expect(verifier.verify(await forged('any'))).rejects.toThrow('The identity provider cannot be reached.');
    expect(warned).toEqual([{ issuer: given, reason: expect.stringMatching(reason) as string }]);
  });

  test('the tenant claim of a token counts only if LEGACY_TENANT_CLAIM is set', async ({ open }) => {
    const token = await fetchToken();
    const findTenant = async (changes: NodeJS.ProcessEnv) =>
      (await (await open(changes))(token, null)).body['context']?.['tenant_id'];
    expect(await findTenant({})).toBeNull();
    expect(await findTenant({ LEGACY_TENANT_CLAIM: 'true' })).toBe('acme-shop');
  });
});

describe('anyone can send a token, yet', () => {
  test('unknown key ids fetch the keys at most once in 30 s', async ({ open }) => {
    stopTheClock();
    const me = await open();
    const good = await fetchToken();
    await me(good);
    expect(await twentyForgeries(me)).toEqual(new Set([401]));
    expect(timesAsked('/jwks')).toBe(1);
    later(30_000);
    expect(await twentyForgeries(me)).toEqual(new Set([401]));
    expect(timesAsked('/jwks')).toBe(2);
  });

  test('unknown key ids call a failing provider at most once in 30 s, and known keys stay valid', async ({ open }) => {
    stopTheClock();
    const me = await open();
    await me(await fetchToken());
    failing = ['/jwks'];
    later(30_000);
    expect(await twentyForgeries(me)).toEqual(new Set([503]));
    later(29_999);
    expect(await twentyForgeries(me)).toEqual(new Set([503]));
    expect(timesAsked('/jwks')).toBe(2);
    expect((await me(await fetchToken())).status).toBe(200);
    failing = [];
    later(1);
    expect(await twentyForgeries(me)).toEqual(new Set([401]));
    expect(timesAsked('/jwks')).toBe(3);
  });

  test.for([discoveryPath, '/jwks'])(
    'a provider that fails at %s is asked again after 1 s, 2 s, 4 s',
    async (path, { open }) => {
      stopTheClock();
      const me = await open();
      const token = await fetchToken();
      failing = [path];
      for (const [attempt, pause] of [1_000, 2_000, 4_000].entries()) {
        expect(await twentyForgeries(me)).toEqual(new Set([503]));
        expect(timesAsked(path)).toBe(attempt + 1);
        later(pause - 1);
        expect((await me(token)).status).toBe(503);
        expect(timesAsked(path)).toBe(attempt + 1);
        later(1);
      }
      failing = [];
      expect((await me(token)).status).toBe(200);
    },
  );
});
