import { describe, expect } from 'vitest';
import { callPlatform } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { readyWorkflow } from '#test/setup/engine.ts';
import { makeEndpoint, platformHeaders, secret, send, sendSigned } from './senders.ts';

let api: TestApp;
test.beforeAll(({ api: started }) => {
  api = started;
});

const path = '/webhooks/inbound-endpoints';
const post = (at: string, body?: object) => callPlatform(api, 'POST', `${path}${at}`, body ? { body } : {});
const patch = (id: number, body: object) => callPlatform(api, 'PATCH', `${path}/${id}`, { body });

describe('an inbound endpoint', () => {
  test('is created with a URL of its own, and shows no secret over either API', async () => {
    const { status, body } = await post('', {
      name: 'ERP',
      verifier: 'hmac',
      config: { secret, header: 'X-Erp-Signature', algorithm: 'sha256', encoding: 'hex' },
      topic: 'erp.order.booked',
    });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(Number),
      endpoint_id: expect.stringMatching(/^[\w-]{32}$/),
      url: `http://localhost/in/${body['endpoint_id']}`,
      name: 'ERP',
      verifier: 'hmac',
      config: { header: 'X-Erp-Signature', algorithm: 'sha256', encoding: 'hex' },
      trigger_handle: null,
      topic: 'erp.order.booked',
      status: 'enabled',
      previous_secret_expires_at: null,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    const { data } = await api.graphql(
      '{ inboundEndpoints { edges { node { verifier config } } } auditLog { edges { node { metadata } } } }',
    );
    expect(data).toMatchObject({ inboundEndpoints: { edges: [{ node: { verifier: 'HMAC' } }] } });
    expect(JSON.stringify(data)).not.toContain(secret);
    const { rows } = await api.database.system.query('SELECT * FROM inbound_endpoints');
    expect(JSON.stringify(rows.map((row) => ({ ...row, secrets: String(row['secrets']) })))).not.toContain(secret);
  });

  test.each([
    ['no secret', { config: {}, topic: 'a.b' }, 'config.secret'],
    ['neither a trigger nor a topic', { config: { secret } }, 'trigger_handle'],
    ['both', { config: { secret }, topic: 'a.b', trigger_handle: '0197a3f0-6c1e-4c6b-9d59-2f2f6b1f8a10' }, 'topic'],
    [
      'a trigger that is not there',
      { config: { secret }, trigger_handle: '0197a3f0-6c1e-4c6b-9d59-2f2f6b1f8a10' },
      'trigger_handle',
    ],
    ['a topic that only this server publishes', { config: { secret }, topic: 'order.created' }, 'topic'],
    ['the topic of trials', { config: { secret }, topic: 'webhook.ping' }, 'topic'],
    ['a topic of one word', { config: { secret }, topic: 'erp' }, 'topic'],
    ['an unknown verifier', { verifier: 'rot13', config: { secret }, topic: 'a.b' }, 'verifier'],
    [
      'an unknown algorithm',
      { verifier: 'hmac', config: { secret, header: 'X-A', algorithm: 'md5', encoding: 'hex' }, topic: 'a.b' },
      'config.algorithm',
    ],
    [
      'a header with a space in its name',
      { verifier: 'api_key', config: { value: secret, header: 'X A' }, topic: 'a.b' },
      'config.header',
    ],
    ['a tolerance of nothing', { config: { secret, tolerance_seconds: 0 }, topic: 'a.b' }, 'config.tolerance_seconds'],
    [
      'a secret of Standard Webhooks that could never verify',
      { verifier: 'standard_webhooks', config: { secret: 'whsec_fifteen_letters' }, topic: 'a.b' },
      'config.secret',
    ],
    ['a short one', { preset: 'svix', config: { secret: 'whsec_c2hvcnQ=' }, topic: 'a.b' }, 'config.secret'],
    ['an unknown preset', { preset: 'fax', config: { secret }, topic: 'a.b' }, 'preset'],
  ])('is refused with %s', async (_what, given, field) => {
    const { status, body } = await post('', { name: 'ERP', ...given });
    expect(status).toBe(422);
    expect(Object.keys(body['errors'] ?? {})).toContain(field);
  });

  test('can be bound only to a webhook trigger of its own tenant', async () => {
    const theirs = await readyWorkflow(api, { nodes: [] }, { tenantId: 'acme-outlet' });
    const manual = await readyWorkflow(api, { nodes: [] }, { type: 'manual' });
    const ours = await readyWorkflow(api, { nodes: [] });
    for (const { handle } of [theirs, manual]) {
      const { status } = await post('', { name: 'ERP', config: { secret }, trigger_handle: handle });
      expect(status).toBe(422);
    }
    const { body } = await post('', { name: 'ERP', config: { secret }, trigger_handle: ours.handle });
    expect(body).toMatchObject({ trigger_handle: ours.handle, topic: null });
  });

  test('keeps the members that a change does not name, including its secret', async () => {
    const made = await makeEndpoint(api);
    const { body } = await patch(made.id, {
      name: 'Warehouse',
      config: { tolerance_seconds: 60 },
      topic: 'erp.counted',
    });
    expect(body).toMatchObject({ name: 'Warehouse', config: { tolerance_seconds: 60 }, topic: 'erp.counted' });
    expect((await sendSigned(api, made.endpoint_id, 'kept')).status).toBe(202);
    const { handle } = await readyWorkflow(api, { nodes: [] });
    expect((await patch(made.id, { trigger_handle: handle })).body).toMatchObject({
      trigger_handle: handle,
      topic: null,
    });
    expect((await patch(made.id, { trigger_handle: null })).status).toBe(422);
    expect(await patch(made.id, { topic: 'stock.changed' })).toMatchObject({
      status: 422,
      body: {
        errors: {
          topic: [
            'Only this server publishes stock.changed. Bind the endpoint to a topic of your own, such as erp.stock.changed.',
          ],
        },
      },
    });
    expect((await patch(made.id, { verifier: 'basic' })).status).toBe(422);
    const basic = { verifier: 'basic', config: { username: 'erp', password: secret } };
    expect((await patch(made.id, basic)).body).toMatchObject({ verifier: 'basic', config: { username: 'erp' } });
  });

  test('accepts only a new secret from the next call on, also in another process', async ({ startBeside }) => {
    const beside = await startBeside();
    const made = await makeEndpoint(api);
    expect((await sendSigned(beside, made.endpoint_id, 'before')).status).toBe(202);
    await patch(made.id, { config: { secret: 'another-secret' } });
    expect((await sendSigned(beside, made.endpoint_id, 'after')).status).toBe(401);
    const headers = platformHeaders('{}', { id: 'after', secrets: ['another-secret'] });
    expect((await send(beside, made.endpoint_id, { body: '{}', headers })).status).toBe(202);
  });

  test('accepts both secrets while one is being replaced, but not the old one afterwards', async () => {
    const made = await makeEndpoint(api);
    const { status, body } = await post(`/${made.id}/rotate-secret`, { secret: 'the-next-secret', overlap_hours: 1 });
    expect(status).toBe(200);
    expect(Date.parse(String(body['previous_secret_expires_at']))).toBeGreaterThan(Date.now() + 3_500_000);
    expect(JSON.stringify(body)).not.toContain('the-next-secret');
    expect((await sendSigned(api, made.endpoint_id, 'old')).status).toBe(202);
    const headers = platformHeaders('{}', { id: 'new', secrets: ['the-next-secret'] });
    expect((await send(api, made.endpoint_id, { body: '{}', headers })).status).toBe(202);
    await api.database.withTenant('acme-shop', (tx) =>
      tx.query(`UPDATE inbound_endpoints SET previous_secret_expires_at = now() - interval '1 second' WHERE id = $1`, [
        made.id,
      ]),
    );
    expect((await sendSigned(api, made.endpoint_id, 'too-late')).status).toBe(401);
    expect((await send(api, made.endpoint_id, { body: '{}', headers })).body).toMatchObject({ duplicate: true });
  });

  test('refuses a replacement that could never verify, and keeps the current secret', async () => {
    const made = await makeEndpoint(api, { verifier: 'standard_webhooks' });
    const replaced = await post(`/${made.id}/rotate-secret`, { secret: 'whsec_c2hvcnQ=' });
    expect([replaced.status, Object.keys(replaced.body['errors'] ?? {})]).toEqual([422, ['secret']]);
    expect((await patch(made.id, { config: { secret: 'short' } })).status).toBe(422);
    expect((await patch(made.id, { config: { tolerance_seconds: 60 } })).status).toBe(200);
    expect((await post(`/${made.id}/rotate-secret`, { secret: `v1,whsec_${'c2Vj'.repeat(6)}` })).status).toBe(200);
  });

  test('answers 410 while it is disabled, from the next call on in every process', async ({ startBeside }) => {
    const beside = await startBeside();
    const made = await makeEndpoint(api);
    expect((await sendSigned(beside, made.endpoint_id, 'before')).status).toBe(202);
    for (const _ of [1, 2]) {
      const { status, body } = await post(`/${made.id}/disable`);
      expect([status, body['status']]).toEqual([200, 'disabled']);
    }
    expect(await sendSigned(beside, made.endpoint_id, 'during')).toMatchObject({ status: 410, body: { code: 'GONE' } });
    expect((await post(`/${made.id}/enable`)).body).toMatchObject({ status: 'enabled' });
    expect((await sendSigned(beside, made.endpoint_id, 'during')).body).toMatchObject({ duplicate: false });
  });

  test('answers 404 once it is deleted', async () => {
    const made = await makeEndpoint(api);
    expect((await callPlatform(api, 'DELETE', `${path}/${made.id}`)).status).toBe(204);
    expect((await sendSigned(api, made.endpoint_id, 'gone')).status).toBe(404);
  });

  test('survives a rotation of the keys that seal its secret', async () => {
    const { rotateDataKeys } = await import('#src/infra/vault/rotation.ts');
    const { sealedEndpointSecrets } = await import('#src/commerce/inbound/endpoints.declarations.ts');
    const made = await makeEndpoint(api);
    const scope = { tenantId: 'acme-shop', purpose: 'secrets', columns: [sealedEndpointSecrets] } as const;
    expect((await rotateDataKeys(api.deps, scope)).resealed).toBeGreaterThan(0);
    expect((await sendSigned(api, made.endpoint_id, 'resealed')).status).toBe(202);
  });
});
