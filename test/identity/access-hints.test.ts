import { describe, expect } from 'vitest';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';

let api: TestApp;
test.beforeAll(({ api: started }) => {
  api = started;
});

interface Refused {
  message: string;
  hint?: string;
}

async function refused(url: string, headers: Record<string, string>, method: 'GET' | 'POST' = 'GET') {
  const answer = await api.app.inject({ method, url, headers });
  const { message, hint } = answer.json<Refused>();
  return { status: answer.statusCode, message, hint };
}

const token = async (roles: string[], tenant: string | null = 'acme-shop') => ({
  authorization: `Bearer ${await api.token({ roles })}`,
  ...(tenant !== null && { 'x-tenant-id': tenant }),
});
const key = async (scopes: string[]) => ({
  'x-platform-api-key': await api.apiKey(scopes),
  'x-platform-tenant': 'acme-shop',
});

describe('401 says what to send', () => {
  const noKey = 'Send an API key in the header X-Platform-Api-Key, and its tenant in X-Platform-Tenant.';

  test.each([
    ['no header', '/api/v1/runs', {}, "Send a user's token in the header Authorization: Bearer <token>."],
    [
      'a key where a token is needed',
      '/api/v1/runs',
      { 'x-platform-api-key': 'cw_x' },
      'API keys are for /v1 and /graphql',
    ],
    ['a token without its scheme', '/api/v1/runs', { authorization: 'abc' }, 'Authorization: Bearer <token>'],
    ['a key as a token', '/api/v1/runs', { authorization: 'Bearer cw_x' }, 'This is an API key and not a user'],
    ['a token that is not one', '/api/v1/runs', { authorization: 'Bearer abc' }, 'The token is not accepted here.'],
    ['no key', '/v1/orders', {}, noKey],
    ['a token where a key is needed', '/v1/orders', { authorization: 'Bearer abc' }, 'This API takes no tokens.'],
    ['a key without its tenant', '/v1/orders', { 'x-platform-api-key': 'cw_x' }, 'X-Platform-Tenant'],
    [
      'half a key',
      '/v1/orders',
      { 'x-platform-api-key': 'cw_x', 'x-platform-tenant': 'acme-shop' },
      'X-Platform-Api-Key holds no whole API key.',
    ],
  ])('to a request with %s', async (_case, url, headers: Record<string, string>, hint) => {
    expect(await refused(url, headers)).toEqual({
      status: 401,
      message: 'Unauthenticated.',
      hint: expect.stringContaining(hint),
    });
  });

  test('to a request with a token that has expired', async () => {
    const authorization = `Bearer ${await api.token({}, -3_600)}`;
    expect(await refused('/api/v1/runs', { authorization })).toMatchObject({
      status: 401,
      hint: expect.stringContaining('The token has expired.'),
    });
  });

  test('in the graph as well', async () => {
    const { errors } = await api.graphql('{ workflows { totalCount } }', {}, { bearer: null });
    expect(errors).toMatchObject([
      { extensions: { code: 'UNAUTHENTICATED', hint: expect.stringContaining('Authorization: Bearer') } },
    ]);
  });
});

describe('403 says what is missing', () => {
  test('the header of the tenant, and that its tenant is not for this token', async () => {
    expect(await refused('/api/v1/runs', await token(['admin'], null))).toEqual({
      status: 403,
      message: 'Tenant context is required.',
      hint: 'Name the tenant to act in with the header X-Tenant-Id.',
    });
    const hints = await Promise.all(
      ['other-shop', 'nobody'].map(async (tenant) => {
        const { hint = '' } = await refused('/api/v1/runs', await token(['admin'], tenant));
        expect(hint).toContain(`X-Tenant-Id names "${tenant}", which is not a tenant that this token may act in.`);
        return hint.replace(tenant, '');
      }),
    );
    // Nobody learns whether a tenant of others exists.
    expect(hints[0]).toBe(hints[1]);
  });

  test('which role, and which scope', async () => {
    expect(await refused('/api/v1/audit-logs', await token(['user']))).toEqual({
      status: 403,
      message: 'This action is unauthorized.',
      hint: 'This needs the role admin; the token has user.',
    });
    expect(await refused('/v1/orders', await key(['stock:read']))).toEqual({
      status: 403,
      message: 'This action is unauthorized.',
      hint: 'This needs a key with the scope orders:read; this key has stock:read.',
    });
  });

  test('in the graph as well', async () => {
    const document = 'mutation { createWorkflow(input: { name: "x" }) { __typename } }';
    const { errors } = await api.graphql(document, {}, { roles: ['user'] });
    expect(errors).toMatchObject([
      { extensions: { code: 'FORBIDDEN', hint: 'This needs the role admin; the token has user.' } },
    ]);
  });
});
