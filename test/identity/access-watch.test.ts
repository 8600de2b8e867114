import { beforeEach, describe, expect } from 'vitest';
import { revokeApiKey } from '#src/identity/api-keys/api-keys.service.ts';
import { systemActor } from '#src/infra/deps.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { connect, ofOperation, openSocket, type RawClient, socketUrl, subscribe } from '#test/setup/live.ts';

const tenant = 'acme-shop';
const deliveries = 'subscription { webhookDeliveryUpdated { databaseId } }';

let api: TestApp;
let beside: TestApp;
let headers: Record<string, string>;
let keyId: bigint;

test.beforeAll(async ({ api: started, startBeside }) => {
  api = started;
  beside = await startBeside();
});

beforeEach(async () => {
  const key = await api.apiKey(['*']);
  headers = { 'x-platform-api-key': key, 'x-platform-tenant': tenant };
  const { rows } = await api.database.system.query<{ id: bigint }>({
    text: 'SELECT id FROM api_keys WHERE prefix = $1',
    values: [key.slice(3, 15)],
  });
  keyId = BigInt(rows[0]?.id ?? 0);
});

async function connectByKey(app: TestApp): Promise<RawClient> {
  const client = await openSocket(await socketUrl(app));
  client.send({ type: 'connection_init', payload: headers });
  await client.until((messages) => messages.some(({ type }) => type === 'connection_ack'));
  return client;
}

async function streamByKey(app: TestApp): Promise<Response> {
  const url = (await socketUrl(app)).replace('ws:', 'http:');
  return fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({ query: deliveries }),
  });
}

const watching = async (client: RawClient): Promise<RawClient> => {
  subscribe(client, 'live', deliveries);
  subscribe(client, 'after', '{ __typename }');
  await client.until((messages) => ofOperation(messages, 'after').some(({ type }) => type === 'complete'));
  expect(ofOperation(client.messages, 'live')).toEqual([]);
  return client;
};

describe('live streams end when access is revoked', () => {
  test('only those of a revoked API key, in every process and over both transports', async () => {
    const clients = [await watching(await connectByKey(api)), await watching(await connectByKey(beside))];
    const unused = await connectByKey(beside);
    const streams = [await streamByKey(api), await streamByKey(beside)];
    const user = await watching(await connect(beside));
    await revokeApiKey(api.deps, systemActor('acme', tenant), keyId);
    for (const client of [...clients, unused]) {
      expect(await client.closed).toEqual({ code: 4403, reason: 'Access was taken away' });
    }
    for (const stream of streams) expect(await stream.text()).toContain('"code":"UNAUTHENTICATED"');
    expect(user.socket.readyState).toBe(user.socket.OPEN);
    user.socket.close();
  });

  test('those of an API key whose overlap after a rotation has ended', async () => {
    const client = await watching(await connectByKey(api));
    await api.graphql(`mutation ($input: RotateApiKeyInput!) { rotateApiKey(input: $input) { __typename } }`, {
      input: { id: String(keyId), overlapHours: 0 },
    });
    expect((await client.closed).code).toBe(4403);
  });

  test('those of the users of a tenant that their organisation lost', async () => {
    const [client, other] = [await watching(await connect(api)), await connect(api, { tenant: 'acme-outlet' })];
    await api.database.global.tenant.update({ where: { id: tenant }, data: { orgId: 'other' } });
    expect((await client.closed).code).toBe(4403);
    expect(other.socket.readyState).toBe(other.socket.OPEN);
    other.socket.close();
    await api.database.global.tenant.update({ where: { id: tenant }, data: { orgId: 'acme' } });
  });
});
