import { describe, expect } from 'vitest';
import { untilLeasesEnd } from '#src/infra/timing/read-leases.ts';
import { test } from '#test/setup/app-test.ts';
import type { Caller, TestApp } from '#test/setup/app.ts';

let api: TestApp;
let there: TestApp;
test.beforeAll(async ({ api: started, startBeside }) => {
  api = started;
  there = await startBeside();
});

interface Key {
  id: string;
  databaseId: number;
  name: string;
  prefix: string;
  scopes: string[];
  expiresAt: string | null;
  lastUsedAt: string | null;
  revokedAt: string | null;
}
interface Made {
  apiKey: Key;
  secret: string;
  code?: string;
  message?: string;
  fields?: { path: string; messages: string[] }[];
}
const fields = 'id databaseId name prefix scopes expiresAt lastUsedAt revokedAt';
const failure = '... on Error { code message } ... on ValidationError { fields { path messages } }';

async function create(input: object, as: Caller = {}): Promise<Made> {
  const { data, errors } = await api.graphql<{ createApiKey: Made }>(
    `mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) {
       ... on CreateApiKeyPayload { apiKey { ${fields} } secret } ${failure} } }`,
    { input },
    as,
  );
  expect(errors).toBeUndefined();
  return data.createApiKey;
}

async function rotate(id: string, overlapHours?: number): Promise<Made> {
  const { data } = await api.graphql<{ rotateApiKey: Made }>(
    `mutation ($input: RotateApiKeyInput!) { rotateApiKey(input: $input) {
       ... on RotateApiKeyPayload { apiKey { ${fields} } secret } ${failure} } }`,
    { input: { id, overlapHours } },
  );
  return data.rotateApiKey;
}

async function revoke(id: string): Promise<Made> {
  const { data } = await api.graphql<{ revokeApiKey: Made }>(
    `mutation ($id: ID!) { revokeApiKey(input: { id: $id }) { ... on RevokeApiKeyPayload { apiKey { ${fields} } } ${failure} } }`,
    { id },
  );
  return data.revokeApiKey;
}

/** The status that the description of /v1, which any key may read, answers. */
async function readStatus({ app }: TestApp, key: string | null, tenant: string | null = 'acme-shop'): Promise<number> {
  const { statusCode } = await app.inject({
    url: '/v1/openapi.json',
    headers: {
      ...(key !== null && { 'x-platform-api-key': key }),
      ...(tenant !== null && { 'x-platform-tenant': tenant }),
    },
  });
  return statusCode;
}

describe('an API key', () => {
  test('is shown once, works immediately, and is stored as a hash', async () => {
    const { apiKey, secret } = await create({ name: 'ERP', scopes: ['*'] });
    expect(secret).toMatch(/^cw_[0-9A-Za-z]{12}_[0-9A-Za-z]{43}$/);
    expect(apiKey).toMatchObject({ name: 'ERP', prefix: secret.split('_')[1], scopes: ['*'], lastUsedAt: null });
    expect([await readStatus(api, secret), await readStatus(there, secret)]).toEqual([200, 200]);
    const { rows } = await api.database.system.query('SELECT row_to_json(k)::text AS row FROM api_keys k');
    expect(rows.some(({ row }) => String(row).includes(secret.slice(16)))).toBe(false);
    expect(api.logLines.some((line) => line.includes(secret.slice(16)))).toBe(false);
  });

  test('gets the same refusal for every fault', async () => {
    const { secret } = await create({ name: 'Refused', scopes: ['*'] });
    const other = `${secret.slice(0, -1)}${secret.endsWith('a') ? 'b' : 'a'}`;
    const hints = new Set<string>();
    for (const [key, tenant] of [
      [null, 'acme-shop'],
      [secret, null],
      [secret, 'acme-outlet'],
      [secret, 'other-shop'],
      [secret, 'nobody'],
      [secret, 'x'.repeat(10_000)],
      [other, 'acme-shop'],
      [secret.slice(0, -1), 'acme-shop'],
      [`${secret}x`, 'acme-shop'],
      [await api.token(), 'acme-shop'],
    ] as const) {
      const { statusCode, payload } = await api.app.inject({
        url: '/v1/openapi.json',
        headers: {
          ...(key !== null && { 'x-platform-api-key': key }),
          ...(tenant !== null && { 'x-platform-tenant': tenant }),
        },
      });
      expect([key, tenant, statusCode]).toEqual([key, tenant, 401]);
      const { hint, ...body } = JSON.parse(payload) as { hint: string };
      expect(body).toEqual({ message: 'Unauthenticated.', code: 'UNAUTHENTICATED' });
      if (key?.length === secret.length && tenant !== null) hints.add(hint);
    }
    // A key of the right form is told nothing of what it is not.
    expect([...hints]).toEqual([expect.stringContaining('it was revoked, has expired, or is of another tenant')]);
  });

  test('is refused in every process as soon as it is revoked, and revoking it again changes nothing', async () => {
    const { apiKey, secret } = await create({ name: 'Revoked', scopes: ['*'] });
    // By what each process has just read.
    for (const process of [api, there, api, there]) expect(await readStatus(process, secret)).toBe(200);
    const { apiKey: revoked } = await revoke(apiKey.id);
    expect(revoked.revokedAt).not.toBeNull();
    expect([await readStatus(api, secret), await readStatus(there, secret)]).toEqual([401, 401]);
    expect((await revoke(apiKey.id)).apiKey.revokedAt).toBe(revoked.revokedAt);
    expect(await rotate(apiKey.id)).toMatchObject({ code: 'CONFLICT' });
  });

  test('is refused once it has expired', async () => {
    const { secret } = await create({
      name: 'Old',
      scopes: ['*'],
      expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
    });
    expect(await readStatus(api, secret)).toBe(200);
    await api.database.withTenant('acme-shop', (tx) =>
      tx.query(`UPDATE api_keys SET expires_at = now() WHERE name = 'Old'`),
    );
    await untilLeasesEnd();
    expect(await readStatus(api, secret)).toBe(401);
  });

  test('cannot be created with an expiry in the past', async () => {
    const made = await create({ name: 'Too late', scopes: ['*'], expiresAt: '2020-01-01T00:00:00Z' });
    expect(made.fields).toEqual([{ path: 'expiresAt', messages: ['Use an instant in the future.'] }]);
  });

  test('says when it was last used', async () => {
    const { apiKey, secret } = await create({ name: 'Used', scopes: ['*'] });
    await readStatus(api, secret);
    const { data } = await api.graphql<{ node: Key }>(
      `query ($id: ID!) { node(id: $id) { ... on ApiKey { ${fields} } } }`,
      {
        id: apiKey.id,
      },
    );
    expect(Date.now() - Date.parse(data.node.lastUsedAt ?? '')).toBeLessThan(60_000);
  });

  test('exists at most twice for an integration, so that one can replace the other', async () => {
    const first = await create({ name: 'Twice', scopes: ['*'] });
    const second = await rotate(first.apiKey.id);
    expect(second.apiKey).toMatchObject({ name: 'Twice', scopes: ['*'], expiresAt: null });
    expect([await readStatus(api, first.secret), await readStatus(api, second.secret)]).toEqual([200, 200]);
    expect(await create({ name: 'Twice', scopes: ['*'] })).toMatchObject({
      code: 'CONFLICT',
      message: 'Twice has 2 active keys; revoke one of them first.',
    });
    const made = await Promise.all([1, 2, 3, 4].map(() => create({ name: 'At once', scopes: ['*'] })));
    expect(made.filter(({ code }) => code === 'CONFLICT')).toHaveLength(2);
  });

  test('that is rotated ends after its overlap, or immediately without one', async () => {
    const first = await create({ name: 'Overlap', scopes: ['*'] });
    const second = await rotate(first.apiKey.id, 0);
    expect([await readStatus(api, first.secret), await readStatus(api, second.secret)]).toEqual([401, 200]);
    expect(await rotate(second.apiKey.id, 169)).toMatchObject({ code: 'VALIDATION_FAILED' });
  });

  test('cannot have an unknown scope', async () => {
    expect(await create({ name: 'Wrong', scopes: ['orders:fly', '*'] })).toMatchObject({
      code: 'VALIDATION_FAILED',
      fields: [{ path: 'scopes', messages: [expect.stringContaining('Unknown: orders:fly.')] }],
    });
    expect(await create({ name: 'None', scopes: [] })).toMatchObject({ fields: [{ path: 'scopes' }] });
  });

  test('is written to the audit log without its secret', async () => {
    const { apiKey, secret } = await create({ name: 'Audited', scopes: ['*'] });
    const { data } = await api.graphql<{ auditLog: { edges: { node: { action: string; metadata: object } }[] } }>(
      '{ auditLog(filter: { resourceType: "api_key" }) { edges { node { action resourceId metadata } } } }',
    );
    expect(data.auditLog.edges[0]?.node).toEqual({
      action: 'create',
      resourceId: String(apiKey.databaseId),
      metadata: { name: 'Audited', prefix: apiKey.prefix, scopes: ['*'] },
    });
    expect(JSON.stringify(data)).not.toContain(secret.slice(16));
  });

  test('is not a user: it has no profile and does not read the catalogue', async () => {
    const apiKey = await api.apiKey(['*']);
    for (const query of [
      '{ me { claims { sub } } }',
      '{ nodes { edges { node { slug } } } }',
      '{ apiKeys { edges { node { id } } } }',
    ]) {
      const { errors } = await api.graphql(query, {}, { apiKey });
      expect([query, errors?.[0]?.extensions?.code]).toEqual([query, 'FORBIDDEN']);
    }
    expect(await api.graphql('{ __typename }', {}, { apiKey })).toEqual({ data: { __typename: 'Query' } });
  });
});

test('the requests of all keys of a tenant share one bucket, in every process', async ({ startBeside }) => {
  const rates = { tenant: { perSecond: 1, burst: 20 } };
  const limited = await Promise.all([1, 2].map(() => startBeside({ rates })));
  const keys = [await api.apiKey(['*']), await api.apiKey(['*'])];
  const ask = async (index: number) =>
    limited[index % 2]?.app.inject({
      url: '/v1/openapi.json',
      headers: { 'x-platform-api-key': keys[index % 3 ? 0 : 1], 'x-platform-tenant': 'acme-shop' },
    });
  const answers = await Promise.all(Array.from({ length: 60 }, (_, index) => ask(index)));
  const admitted = answers.filter((answer) => answer?.statusCode === 200);
  const refused = answers.filter((answer) => answer?.statusCode === 429);
  expect(admitted.length + refused.length).toBe(60);
  expect(admitted.length).toBeGreaterThanOrEqual(20);
  expect(admitted.length).toBeLessThanOrEqual(25);
  expect(refused[0]?.json()).toEqual({ message: 'Too Many Attempts.', code: 'TOO_MANY_ATTEMPTS' });
  expect(Number(refused[0]?.headers['retry-after'])).toBeGreaterThanOrEqual(1);
  expect(Object.keys(refused[0]?.headers ?? {}).filter((name) => name.startsWith('x-ratelimit'))).toEqual([]);
});
