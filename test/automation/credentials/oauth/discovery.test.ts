import type { ServerResponse } from 'node:http';
import { afterAll, describe, expect, test as plainTest } from 'vitest';
import { readDescription } from '#src/automation/connectors/descriptions/read-description.ts';
import { makePackage } from '#src/automation/connectors/packages/make-package.ts';
import { readCredential } from '#src/automation/credentials/credentials.store.ts';
import { resolveClient } from '#src/automation/credentials/oauth/discovery.service.ts';
import { readOAuthClient } from '#src/automation/credentials/oauth/oauth-client.rules.ts';
import { accessToken } from '#src/automation/credentials/oauth/token-refresh.service.ts';
import { egressTo, serve } from '#test/infra/egress/loopback-server.ts';
import { call } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { type OAuthWorld, startOAuthWorld } from './connect.ts';

let world: OAuthWorld;
let api: TestApp;
test.beforeAll(async ({ api: started }) => {
  api = started;
  world = await startOAuthWorld(api);
});
afterAll(() => world.close());

const tenantId = 'acme-shop';
/** A config of a client without the addresses of its provider. */
const clientOnly = (client: 'first' | 'machine') => {
  const { authorize_url: _, token_url: __, ...config } = world.provider.config(client);
  return { ...config, discovery_url: world.provider.issuer };
};

describe('a credential with a discovery URL', () => {
  test('gets its tokens at the address that the provider names', async () => {
    const id = await world.create(clientOnly('machine'));
    const token = await accessToken(api.deps, tenantId, BigInt(id));
    const { grant } = (await readCredential(api.deps, tenantId, BigInt(id))) ?? {};
    expect(grant).toMatchObject({ grant_type: 'client_credentials', access_token: token });
  });

  test('is authorised by a user at the address that the provider names', async () => {
    const id = await world.connect({ ...clientOnly('first'), scopes: 'openid' });
    expect(await world.status(id)).toBe('active');
    expect(await world.authorizeUrl(id)).toMatch(`${world.provider.issuer}/auth?`);
  });

  test('keeps an authorisation URL that its config has, and renews its token', async () => {
    const { authorize_url: authorizeUrl = '' } = world.provider.config('first');
    const id = await world.connect({ ...clientOnly('first'), authorize_url: authorizeUrl });
    const before = await accessToken(api.deps, tenantId, BigInt(id));
    await world.endAccessToken(id);
    expect(await accessToken(api.deps, tenantId, BigInt(id))).not.toBe(before);
  });

  test('needs another authorisation once it has another discovery URL', async () => {
    const id = await world.connect({ ...clientOnly('first'), scopes: 'openid' });
    const config = { ...clientOnly('first'), discovery_url: `${world.provider.issuer}/other` };
    await call(api, 'PATCH', `/credentials/${id}`, { body: { config } });
    expect(await world.status(id)).toBe('pending');
    const answer = await call(api, 'POST', `/credentials/${id}/oauth/authorize-url`);
    expect(answer.status).toBe(422);
    expect(answer.text).toContain('the discovery URL answered 404');
  });

  test('is stored without a token URL, which is required otherwise', async () => {
    const body = {
      credential_type_slug: 'core:oauth2',
      name: 'No address',
      config: { client_id: 'a', client_secret: 'b' },
    };
    const answer = await call(api, 'POST', '/credentials', { body });
    expect(answer.status).toBe(422);
    expect(answer.text).toContain('The field \\"Token URL\\" is required, unless \\"discovery_url\\" is given.');
  });

  test('fails its test with the reason if there is no provider', async () => {
    const body = {
      credential_type_slug: 'core:oauth2',
      config: { ...clientOnly('machine'), discovery_url: `${world.provider.issuer}/none` },
    };
    const answer = await call(api, 'POST', '/credentials/test', { body });
    expect(answer.body).toMatchObject({
      ok: false,
      message: expect.stringContaining('the discovery URL answered 404'),
    });
  });
});

const read = (config: object) =>
  readOAuthClient(
    { auth_kind: 'oauth2' },
    { grant_type: 'client_credentials', client_id: 'us', client_secret: 's', ...config },
  );

/** A server whose metadata names the issuer that a path of it stands for. */
const provider = (issuerPath: string, more: object = {}, status = 200) =>
  serve((request, response: ServerResponse) => {
    const url = `http://${request.headers.host}`;
    const metadata = { issuer: url + issuerPath, token_endpoint: `${url}/token`, ...more };
    response.writeHead(status, { 'content-type': 'application/json', location: `${url}/elsewhere` });
    response.end(JSON.stringify(metadata));
  });

describe('discovery', () => {
  plainTest.each([
    ['', '', '/.well-known/openid-configuration'],
    ['/', '/', '/.well-known/openid-configuration'],
    ['/realms/shop', '/realms/shop', '/realms/shop/.well-known/openid-configuration'],
    ['/realms/shop/.well-known/openid-configuration', '/realms/shop', '/realms/shop/.well-known/openid-configuration'],
    ['/.well-known/oauth-authorization-server/shop', '/shop', '/.well-known/oauth-authorization-server/shop'],
  ])('of "%s" reads the metadata of the issuer "%s" at %s', async (path, issuer, asked) => {
    const server = await provider(issuer);
    const resolved = await resolveClient({ egress: egressTo([server]) }, read({ discovery_url: server.url + path }));
    expect(resolved).toMatchObject({ client: { issuer: server.url + issuer, tokenUrl: `${server.url}/token` } });
    expect(server.requests).toEqual([`GET ${asked}`]);
  });

  plainTest.each<[what: string, metadata: object, status: number, failure: object]>([
    ['another issuer', { issuer: 'https://evil.example' }, 200, { kind: 'misconfigured' }],
    ['no issuer', { issuer: undefined }, 200, { kind: 'misconfigured' }],
    ['no token URL', { token_endpoint: undefined }, 200, { kind: 'misconfigured' }],
    ['a token URL of a file', { token_endpoint: 'file:///etc/passwd' }, 200, { kind: 'misconfigured' }],
    ['too much', { more: 'x'.repeat(300_000) }, 200, { kind: 'unavailable' }],
    ['a redirect', {}, 302, { kind: 'misconfigured', reason: 'the discovery URL answered 302' }],
    ['404', {}, 404, { kind: 'misconfigured', reason: 'the discovery URL answered 404' }],
    ['503', {}, 503, { kind: 'unavailable', reason: 'the discovery URL answered 503' }],
  ])('fails if the provider answers %s', async (_what, metadata, status, failure) => {
    const server = await provider('', metadata, status);
    const resolved = await resolveClient({ egress: egressTo([server]) }, read({ discovery_url: server.url }));
    expect(resolved).toMatchObject({ failure });
    expect(server.requests).toHaveLength(1);
  });

  plainTest('accepts another issuer if the config names it', async () => {
    const server = await provider('', { issuer: 'https://id.example.com' });
    const client = read({ discovery_url: server.url, issuer: 'https://id.example.com' });
    expect(await resolveClient({ egress: egressTo([server]) }, client)).toMatchObject({
      client: { issuer: 'https://id.example.com' },
    });
  });

  plainTest('fails for a client of users if the provider authorises none', async () => {
    const server = await provider('');
    const client = read({ grant_type: 'authorization_code', discovery_url: server.url });
    expect(await resolveClient({ egress: egressTo([server]) }, client)).toMatchObject({
      failure: { reason: 'the provider names no address at which users authorise access' },
    });
  });

  plainTest('does not reach an address that the operator has not allowed', async () => {
    const server = await provider('');
    expect(await resolveClient({ egress: egressTo([]) }, read({ discovery_url: server.url }))).toMatchObject({
      failure: { kind: 'misconfigured' },
    });
    expect(server.requests).toEqual([]);
  });

  plainTest('reads the metadata once for many tokens, and again after a failure', async () => {
    let status = 503;
    const server = await serve((request, response) => {
      const url = `http://${request.headers.host}`;
      response.writeHead(status).end(JSON.stringify({ issuer: url, token_endpoint: `${url}/token` }));
    });
    const egress = egressTo([server]);
    const client = read({ discovery_url: server.url });
    const resolveMany = () => Promise.all(Array.from({ length: 5 }, () => resolveClient({ egress }, client)));
    expect(await resolveMany()).toEqual(Array.from({ length: 5 }, () => ({ failure: expect.anything() as unknown })));
    status = 200;
    await resolveMany();
    await resolveMany();
    expect(server.requests).toHaveLength(2);
  });
});

plainTest('a described API with OpenID Connect has a credential type that discovers its provider', async () => {
  const url = 'https://id.example.com/.well-known/openid-configuration';
  const description = await readDescription(
    Buffer.from(
      JSON.stringify({
        openapi: '3.1.0',
        info: { title: 'Shop', version: '1' },
        servers: [{ url: 'https://api.example.com' }],
        components: { securitySchemes: { oidc: { type: 'openIdConnect', openIdConnectUrl: url } } },
        security: [{ oidc: [] }],
        paths: { '/orders': { get: { responses: { 200: { description: '' } } } } },
      }),
    ),
  );
  const { credentialTypes, nodes } = makePackage(description, { all: true }, 'shop');
  expect(credentialTypes).toMatchObject([{ slug: 'shop:oidc', auth_kind: 'oauth2', sends: [{ as: 'bearer' }] }]);
  const [type] = credentialTypes;
  expect(type?.fields.find(({ key }) => key === 'discovery_url')).toMatchObject({ required: true, default: url });
  expect(type?.fields.map(({ key }) => key)).not.toContain('token_url');
  expect(nodes[0]?.config?.[0]?.credential_types).toEqual(['shop:oidc', 'core:oauth2', 'core:session', 'core:api-key']);
});
