import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, vi } from 'vitest';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { connect, ofOperation, type RawClient, subscribe } from '#test/setup/live.ts';
import { makeRun, makeWorkflow } from '#test/setup/runs.ts';

let api: TestApp;
let run: number;
/** Listeners of live changes that are open. */
const listeners = new Set<object>();

test.beforeAll(async ({ api: started }) => {
  api = started;
  run = await makeRun(api.deps, 'acme-shop', await makeWorkflow(api.deps, 'acme-shop', 'Orders to ERP'));
  const { live } = api.deps;
  const attach = live.subscribe.bind(live);
  vi.spyOn(live, 'subscribe').mockImplementation((channel, key, listener) => {
    const detach = attach(channel, key, listener);
    const opened = {};
    listeners.add(opened);
    return () => {
      listeners.delete(opened);
      detach();
    };
  });
});

const followed = 'subscription ($id: ID!) { runUpdated(id: $id) { databaseId } }';
const complete = (client: RawClient, id: string) => client.send({ id, type: 'complete' });

describe('an id that is used again before its operation was opened', () => {
  test('leaves one subscription open, and none when the socket has died', async () => {
    const client = await connect(api);
    for (let n = 0; n < 200; n += 1) {
      subscribe(client, 'same', followed, { id: String(run) });
      complete(client, 'same');
    }
    subscribe(client, 'same', followed, { id: String(run) });
    await client.until((messages) => ofOperation(messages, 'same').length > 0);
    await delay(500);
    expect(listeners.size).toBe(1);
    expect(ofOperation(client.messages, 'same')).toHaveLength(1);
    client.socket.terminate();
    await expect.poll(() => listeners.size).toBe(0);
  });

  test('belongs to the later operation, whatever became of the earlier', async () => {
    const client = await connect(api);
    for (const early of [
      followed,
      'query { me { claims { sub } } }',
      'query { nothing }',
      '{',
      'query A { me { claims { sub } } } query B { me { claims { sub } } }',
    ]) {
      const from = client.messages.length;
      subscribe(client, 'same', early, { id: String(run) });
      complete(client, 'same');
      subscribe(client, 'same', '{ workflows { totalCount } }');
      await client.until((messages) => messages.slice(from).some(({ type }) => type === 'complete'));
      await delay(50);
      const seen = ofOperation(client.messages.slice(from), 'same');
      expect(seen.map(({ type }) => type)).toEqual(['next', 'complete']);
      expect(JSON.stringify(seen[0]?.payload?.data)).toContain('totalCount');
    }
    client.socket.terminate();
    await expect.poll(() => listeners.size).toBe(0);
  });
});

test('a document without the operation that was named is answered with an error, and keeps the socket', async () => {
  const client = await connect(api);
  client.send({
    id: '1',
    type: 'subscribe',
    payload: { query: 'query A { me { claims { sub } } }', operationName: 'B' },
  });
  await client.until((messages) => ofOperation(messages, '1').length > 0);
  expect(ofOperation(client.messages, '1').map(({ type }) => type)).toEqual(['error']);
  subscribe(client, '1', '{ me { claims { sub } } }');
  await client.until((messages) => ofOperation(messages, '1').some(({ type }) => type === 'complete'));
  client.socket.close();
});
