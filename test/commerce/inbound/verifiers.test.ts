import { describe, expect } from 'vitest';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { computeHmac, makeEndpoint, secret, send, standardHeaders } from './senders.ts';

let api: TestApp;
test.beforeAll(({ api: started }) => {
  api = started;
});

const body = '{"number":"1001","note":"Größe L"}';

async function findEvents(topic: string): Promise<{ data: unknown; metadata: unknown }[]> {
  const { rows } = await api.database.system.query<{ data: unknown; metadata: unknown }>(
    'SELECT data, metadata FROM outbox_events WHERE topic = $1 ORDER BY id',
    [topic],
  );
  return rows;
}

describe('each verifier', () => {
  const basic = (user: string, password: string) => `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  const stripe = (offset = 0) => {
    const time = Math.floor(Date.now() / 1_000) + offset;
    return `t=${time},v1=${computeHmac('other', 'hex')},v1=${computeHmac(`${time}.${body}`, 'hex')},v0=abc`;
  };
  const hmac = {
    secret,
    header: 'X-Sig',
    algorithm: 'sha1',
    encoding: 'base64',
    prefix: 'sha1:',
    id_header: 'X-Event',
  };
  const sha1 = (text: string) => `sha1:${computeHmac(text, 'base64', 'sha1')}`;
  const username = 'erp';

  test.each<[string, object, Record<string, string>, Record<string, string>]>([
    [
      'standard_webhooks',
      { verifier: 'standard_webhooks' },
      standardHeaders(body, { id: 'v-1' }),
      { ...standardHeaders(body, { id: 'v-1' }), 'webhook-id': 'v-2' },
    ],
    [
      'hmac',
      { verifier: 'hmac', config: hmac },
      { 'x-sig': sha1(body), 'x-event': 'v-1' },
      { 'x-sig': sha1(`${body} `), 'x-event': 'v-1' },
    ],
    [
      'basic',
      { verifier: 'basic', config: { username, password: secret, id_header: 'X-Event' } },
      { authorization: basic('erp', secret), 'x-event': 'v-1' },
      { authorization: basic('erp', 'guess') },
    ],
    [
      'api_key',
      { verifier: 'api_key', config: { header: 'X-Key', value: secret, id_header: 'x-event' } },
      { 'x-key': secret, 'x-event': 'v-1' },
      { 'x-key': `${secret} `.trim().slice(1) },
    ],
    [
      'the preset of GitHub',
      { preset: 'github' },
      { 'x-hub-signature-256': `sha256=${computeHmac(body, 'hex')}`, 'x-github-delivery': 'v-1' },
      { 'x-hub-signature-256': computeHmac(body, 'hex') },
    ],
    [
      'the preset of Shopify',
      { preset: 'shopify' },
      { 'x-shopify-hmac-sha256': computeHmac(body, 'base64'), 'x-shopify-event-id': 'v-1' },
      { 'x-shopify-hmac-sha256': computeHmac(body, 'hex') },
    ],
    [
      'the preset of Svix',
      { preset: 'svix' },
      Object.fromEntries(
        Object.entries(standardHeaders(body, { id: 'v-1' })).map(([name, value]) => [
          name.replace('webhook', 'svix'),
          value,
        ]),
      ),
      standardHeaders(body, { id: 'v-1' }),
    ],
    [
      'the preset of WooCommerce',
      { preset: 'woocommerce' },
      { 'x-wc-webhook-signature': computeHmac(body, 'base64'), 'x-wc-webhook-delivery-id': 'v-1' },
      {},
    ],
    [
      'hmac with hex in capitals',
      { preset: 'github' },
      { 'x-hub-signature-256': `sha256=${computeHmac(body, 'hex').toUpperCase()}`, 'x-github-delivery': 'v-1' },
      { 'x-hub-signature-256': `SHA256=${computeHmac(body, 'hex')}` },
    ],
    [
      'the preset of commercetools',
      { preset: 'commercetools', config: { value: `Bearer ${secret}`, id_path: 'number' } },
      { authorization: `Bearer ${secret}` },
      { authorization: secret },
    ],
    [
      'the preset of Stripe',
      { preset: 'stripe', config: { secret, id_path: 'number' } },
      { 'stripe-signature': stripe() },
      { 'stripe-signature': stripe(-302) },
    ],
  ])('%s takes what its sender sends, once, and nothing else', async (name, given, good, bad) => {
    const made = await makeEndpoint(api, given);
    const id = name.includes('commercetools') || name.includes('Stripe') ? '1001' : 'v-1';
    expect(await send(api, made.endpoint_id, { body, headers: good })).toEqual({
      status: 202,
      body: { event_id: id, duplicate: false },
    });
    expect((await send(api, made.endpoint_id, { body, headers: good })).body).toMatchObject({ duplicate: true });
    expect((await send(api, made.endpoint_id, { body, headers: bad })).status).toBe(401);
    expect((await send(api, made.endpoint_id, { body })).status).toBe(401);
  });

  test('accepts one event of Shopify under several topics, once for each', async () => {
    const made = await makeEndpoint(api, { preset: 'shopify' });
    const sent = async (topic: string) => {
      const headers = {
        'x-shopify-hmac-sha256': computeHmac(body, 'base64'),
        'x-shopify-event-id': 's-1',
        'x-shopify-topic': topic,
      };
      const { body: answer } = await send(api, made.endpoint_id, { body, headers });
      return answer['duplicate'];
    };
    expect(await sent('orders/create')).toBe(false);
    expect(await sent('orders/paid')).toBe(false);
    expect(await sent('orders/create')).toBe(true);
  });

  test('answers the unsigned test call of WooCommerce, without an effect', async () => {
    const made = await makeEndpoint(api, { preset: 'woocommerce', topic: 'woo.pinged' });
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const ping = (text: string, headers: object = {}, id = made.endpoint_id) =>
      send(api, id, { body: text, headers: { ...form, ...headers } });
    expect(await ping('webhook_id=7')).toEqual({ status: 200, body: { event_id: null, duplicate: false } });
    for (const text of [
      'webhook_id=7&a=b',
      'webhook_id=',
      'webhook_id=7=7',
      'other=7',
      `webhook_id=${'7'.repeat(200)}`,
    ])
      expect((await ping(text)).status).toBe(401);
    expect((await ping('webhook_id=7', { 'x-wc-webhook-signature': 'wrong' })).status).toBe(401);
    expect((await ping('webhook_id=7', {}, (await makeEndpoint(api, { preset: 'shopify' })).endpoint_id)).status).toBe(
      401,
    );
    expect(await findEvents('woo.pinged')).toEqual([]);
  });
});
