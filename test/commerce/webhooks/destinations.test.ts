import { describe, expect } from 'vitest';
import { sealedDestination } from '#src/commerce/webhooks/webhooks.declarations.ts';
import { rotateDataKeys } from '#src/infra/vault/rotation.ts';
import { callPlatform } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';

let api: TestApp;
test.beforeAll(({ api: started }) => {
  api = started;
  api.egressAllow.add('127.0.0.1:9999');
});

const post = (body: object, path = '/webhooks/destinations') => callPlatform(api, 'POST', path, { body });
const valid = { name: 'ERP', url: 'https://erp.example.com/hooks', topics: ['order.created'] };
const create = async (more: object = {}): Promise<Record<string, never> & { id: number }> =>
  (await post({ ...valid, ...more })).body as never;

describe('a destination', () => {
  test('is created, read, changed and deleted over REST, and never shows its secret or its headers', async () => {
    const { status, body } = await post({
      ...valid,
      secret: 'a secret of sixteen or more',
      headers: { 'X-Shop': 'a value of the shop' },
      filter: 'event.data.channel = "web"',
      rate_per_second: 5,
    });
    expect([status, body]).toEqual([
      201,
      {
        id: expect.any(Number),
        name: 'ERP',
        url: 'https://erp.example.com/hooks',
        topics: ['order.created'],
        signing: 'signed',
        secret_ref: null,
        previous_secret_expires_at: null,
        header_names: ['X-Shop'],
        filter: 'event.data.channel = "web"',
        rate_per_second: 5,
        concurrency: 20,
        ordered: false,
        status: 'enabled',
        disabled_reason: null,
        problem: null,
        failing_since: null,
        created_at: expect.any(String),
        updated_at: expect.any(String),
      },
    ]);
    const path = `/webhooks/destinations/${body['id']}`;
    const { text } = await callPlatform(api, 'PATCH', path, { body: { topics: ['*'], filter: null } });
    expect(JSON.parse(text)).toMatchObject({ topics: ['*'], filter: null, signing: 'signed' });
    expect(text).not.toContain('sixteen');
    expect(text).not.toContain('value of the shop');
    const { rows } = await api.database.system.query('SELECT * FROM webhook_destinations WHERE id = $1', [body['id']]);
    expect(JSON.stringify(rows)).not.toContain('sixteen');
    expect((await callPlatform(api, 'DELETE', path)).status).toBe(204);
    expect((await callPlatform(api, 'GET', path)).status).toBe(404);
  });

  test('is unchanged by a change to its current values', async () => {
    const made = await create({ secret: 'a secret of sixteen or more' });
    const { body } = await callPlatform(api, 'PATCH', `/webhooks/destinations/${made.id}`, {
      body: { ...valid, secret: 'a secret of sixteen or more', id: 5 },
    });
    expect(body).toEqual(made);
  });

  test.for<[string, object, string]>([
    ['plain http', { url: 'http://erp.example.com/hooks' }, 'url'],
    ['a loopback address', { url: 'https://127.0.0.1/hooks' }, 'url'],
    ['a private address', { url: 'https://10.0.0.1/hooks' }, 'url'],
    ['a private address in another spelling', { url: 'https://0x0a000001/hooks' }, 'url'],
    ['a link-local address', { url: 'https://[fe80::1]/hooks' }, 'url'],
    ['a mapped address', { url: 'https://[::ffff:10.0.0.1]/hooks' }, 'url'],
    ['localhost', { url: 'https://localhost/hooks' }, 'url'],
    ['another scheme', { url: 'ftp://erp.example.com' }, 'url'],
    ['a user in the URL', { url: 'https://user:pass@erp.example.com' }, 'url'],
    ['a line break in the URL', { url: 'https://erp.example.com/hooks\r\nX-Shop: 1' }, 'url'],
    ['no topics', { topics: [] }, 'topics'],
    ['a typing error of a topic', { topics: ['stock.changed', 'order.create'] }, 'topics.1'],
    ['a topic of one word', { topics: ['order'] }, 'topics.0'],
    ['a topic in capitals', { topics: ['Order.created'] }, 'topics.0'],
    ['a topic with a wildcard', { topics: ['order.*'] }, 'topics.0'],
    ['a short secret', { secret: 'fifteen letters' }, 'secret'],
    ['a secret beside a reference', { secret: 'a secret of sixteen or more', secret_ref: 'ERP' }, 'secret_ref'],
    ['a reference to no secret', { secret_ref: 'MISSING' }, 'secret_ref'],
    ['a filter that does not parse', { filter: 'event.data. =' }, 'filter'],
    ['a filter that reads secrets', { filter: 'secrets.ERP = "x"' }, 'filter'],
    ['a header of ours', { headers: { 'X-Platform-Id': 'x' } }, 'headers.X-Platform-Id'],
    ['a header twice', { headers: { 'X-Shop': 'a', 'x-shop': 'b' } }, 'headers'],
    ['a header that breaks the line', { headers: { 'X-Shop': 'a\r\nb: c' } }, 'headers.X-Shop'],
  ])('refuses %s', async ([, wrong, field]) => {
    const { status, body } = await post({ ...valid, ...wrong });
    expect([status, Object.keys(body['errors'] ?? {})]).toEqual([422, [field]]);
  });

  test('refuses custom headers that the sender sets, by name', async () => {
    const { body } = await post({ ...valid, headers: { 'X-Shop': 'a', 'webhook-id': 'x' } });
    expect(body['errors']).toEqual({
      'headers.webhook-id': ['The sender sets the header webhook-id itself; leave it out.'],
    });
  });

  test('sends its headers only to the server that they were given for', async () => {
    const { id } = await create({ headers: { 'X-Shop': 'a token of the ERP' } });
    const patch = (body: object) => callPlatform(api, 'PATCH', `/webhooks/destinations/${id}`, { body });
    const elsewhere = 'https://elsewhere.example.com/hooks';
    const refused = await patch({ url: elsewhere });
    expect([refused.status, Object.keys(refused.body['errors'] ?? {})]).toEqual([422, ['headers']]);
    expect((await patch({ url: 'https://erp.example.com/other' })).status).toBe(200);
    expect((await patch({ url: elsewhere, headers: { 'X-Shop': 'another' } })).status).toBe(200);
    expect((await patch({ url: valid.url, headers: null })).status).toBe(200);
    expect((await patch({ url: elsewhere })).status).toBe(200);
  });

  test('may use http if the operator allows the host', async () => {
    expect((await post({ ...valid, url: 'http://127.0.0.1:9999/hooks' })).status).toBe(201);
  });

  test('is shown as unsigned without a secret, and as signed with a reference to one', async () => {
    expect(await create()).toMatchObject({ signing: 'unsigned', secret_ref: null });
    await api.graphql('mutation { putSecret(input: { key: "ERP_KEY", value: "a secret of the ERP" }) { __typename } }');
    const made = await create({ secret_ref: 'ERP_KEY' });
    expect(made).toMatchObject({ signing: 'signed', secret_ref: 'ERP_KEY' });
    const path = `/webhooks/destinations/${made.id}`;
    expect(await post({}, `${path}/rotate-secret`)).toMatchObject({ status: 409 });
    expect((await callPlatform(api, 'PATCH', path, { body: { secret: 'a secret of its own' } })).body).toMatchObject({
      signing: 'signed',
      secret_ref: null,
    });
    expect((await callPlatform(api, 'PATCH', path, { body: { secret: null } })).body).toMatchObject({
      signing: 'unsigned',
    });
  });

  test('gets a new secret that is shown once, while the former one also signs for another day', async () => {
    const { id } = await create({ secret: 'the former secret of the ERP' });
    const { status, body } = await post({}, `/webhooks/destinations/${id}/rotate-secret`);
    expect(status).toBe(200);
    expect(Buffer.from(String(body['secret']).replace('whsec_', ''), 'base64')).toHaveLength(32);
    const hours = (Date.parse(String(body['previous_secret_expires_at'])) - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(23.9);
    expect(hours).toBeLessThanOrEqual(24);
    expect((await callPlatform(api, 'GET', `/webhooks/destinations/${id}`)).text).not.toContain(body['secret']);
  });

  test('can be disabled and enabled repeatedly', async () => {
    const { id } = await create();
    const path = `/webhooks/destinations/${id}`;
    for (const _time of [1, 2])
      expect(await post({}, `${path}/disable`)).toMatchObject({
        status: 200,
        body: { status: 'disabled', disabled_reason: 'manual' },
      });
    for (const _time of [1, 2])
      expect(await post({}, `${path}/enable`)).toMatchObject({
        status: 200,
        body: { status: 'enabled', disabled_reason: null },
      });
    const { rows } = await api.database.system.query<{ action: string }>(
      `SELECT action FROM audit_entries WHERE resource_type = 'webhook_destination' AND resource_id = $1 ORDER BY id`,
      [String(id)],
    );
    expect(rows.map(({ action }) => action)).toEqual(['create', 'disable', 'enable']);
  });

  test('holds all pending deliveries before it is enabled again, however many', async () => {
    const { id } = await create();
    await api.database.system.query(
      `WITH payload AS (
         INSERT INTO webhook_payloads (tenant_id, event_id, topic, body, size)
         VALUES ('acme-shop', gen_random_uuid(), 'order.created', '{}', 2) RETURNING id
       )
       INSERT INTO webhook_deliveries (tenant_id, destination_id, payload_id, status, next_attempt_at)
       SELECT 'acme-shop', $1, payload.id, 'pending', CASE WHEN n % 2 = 0 THEN now() END FROM payload, generate_series(1, 12000) AS n`,
      [id],
    );
    const path = `/webhooks/destinations/${id}`;
    await post({}, `${path}/disable`);
    await post({}, `${path}/enable`);
    const count = async (status: string) =>
      (await callPlatform(api, 'GET', `/webhooks/deliveries?destination_id=${id}&status=${status}&limit=1`)).body[
        'total'
      ];
    expect([await count('pending'), await count('held')]).toEqual([0, 12_000]);
  });

  test('keeps its secret through a rotation of the tenant’s keys', async () => {
    const { id } = await create({ secret: 'a secret that is sealed again' });
    const { database, vault } = api.deps;
    const columns = [sealedDestination];
    const { resealed } = await rotateDataKeys(
      { database, vault },
      { tenantId: 'acme-shop', purpose: 'secrets', columns },
    );
    expect(resealed).toBeGreaterThan(0);
    const { status } = await post({}, `/webhooks/destinations/${id}/rotate-secret`);
    expect(status).toBe(200);
  });

  test('of another tenant is not found', async () => {
    const { id } = await create();
    const key = await api.apiKey(['*'], 'acme-outlet');
    for (const [method, path] of [
      ['GET', ''],
      ['PATCH', ''],
      ['DELETE', ''],
      ['POST', '/enable'],
      ['POST', '/disable'],
      ['POST', '/rotate-secret'],
      ['POST', '/ping'],
    ] as const) {
      const answer = await callPlatform(api, method, `/webhooks/destinations/${id}${path}`, {
        key,
        tenant: 'acme-outlet',
        ...(method !== 'GET' && method !== 'DELETE' && { body: {} }),
      });
      expect([method, path, answer.status]).toEqual([method, path, 404]);
    }
  });
});
