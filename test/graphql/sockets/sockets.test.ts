import { setTimeout as delay } from 'node:timers/promises';
import { type Client, createClient } from 'graphql-ws';
import { describe, expect, vi } from 'vitest';
import { WebSocket } from 'ws';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { connect, ofOperation, openSocket, socketUrl, subscribe } from '#test/setup/live.ts';
import { makeRun, makeWorkflow, moveRun } from '#test/setup/runs.ts';

const tenant = 'acme-shop';
const one = 'subscription ($id: ID) { runUpdated(id: $id) { databaseId status } }';
const ofWorkflow = 'subscription ($workflowId: ID) { runUpdated(workflowId: $workflowId) { databaseId status } }';

let api: TestApp;
let workflowId: number;

test.beforeAll(async ({ api: started }) => {
  api = started;
  workflowId = await makeWorkflow(api.deps, tenant, 'Orders to ERP');
});

const init = { type: 'connection_init' };

describe('graphql-transport-ws', () => {
  test('acknowledges, answers pings, and runs queries and mutations on the ordinary path', async () => {
    const client = await connect(api);
    client.send({ type: 'ping', payload: { at: 1 } });
    await client.until((messages) => messages.find(({ type }) => type === 'pong'));
    subscribe(client, 'q', '{ me { claims { sub } } }');
    subscribe(
      client,
      'm',
      'mutation ($input: CreateWorkflowInput!) { createWorkflow(input: $input) { ... on CreateWorkflowPayload { workflow { name } } } }',
      {
        input: { name: 'By socket' },
      },
    );
    await client.until((messages) => ofOperation(messages, 'm').some(({ type }) => type === 'complete'));
    await client.until((messages) => ofOperation(messages, 'q').some(({ type }) => type === 'complete'));
    expect(ofOperation(client.messages, 'q').map(({ type }) => type)).toEqual(['next', 'complete']);
    expect(ofOperation(client.messages, 'q')[0]?.payload?.data).toEqual({ me: { claims: { sub: 'test-admin' } } });
    expect(ofOperation(client.messages, 'm')[0]?.payload?.data).toEqual({
      createWorkflow: { workflow: { name: 'By socket' } },
    });
    client.socket.close();
  });

  test('closes 4401 before the acknowledgement, 4429 on a second init, 4400 on nonsense, 1007 on other than UTF-8, 4409 on an id in use', async () => {
    const url = await socketUrl(api);
    const early = await openSocket(url);
    subscribe(early, '1', '{ me { claims { sub } } }');
    expect((await early.closed).code).toBe(4401);

    const twice = await connect(api);
    twice.send(init);
    expect((await twice.closed).code).toBe(4429);

    for (const nonsense of ['{', '[]', '{"type":"what"}', '{"type":"subscribe"}', '{"id":1,"type":"subscribe"}']) {
      const client = await connect(api);
      client.socket.send(nonsense);
      expect((await client.closed).code).toBe(4400);
    }

    for (const binary of [true, false]) {
      const client = await connect(api);
      client.socket.send(Buffer.from('{"type":"ping","payload":{"at":"\xe9"}}', 'latin1'), { binary });
      expect((await client.closed).code).toBe(1007);
    }

    const same = await connect(api);
    const runId = await makeRun(api.deps, tenant, workflowId);
    subscribe(same, '1', one, { id: runId });
    subscribe(same, '1', one, { id: runId });
    expect((await same.closed).code).toBe(4409);
  });

  test('closes 4408 when no init comes in time, and 4406 for another subprotocol', async () => {
    const silent = await openSocket(await socketUrl(api));
    const other = new WebSocket(await socketUrl(api), 'graphql-ws');
    const refused = new Promise<string>((resolve) => {
      other.on('close', (code) => resolve(String(code)));
      other.on('error', (error) => resolve(error.message));
    });
    // Either the handshake ends without a subprotocol or the server says 4406; it must not be served.
    expect(await refused).toMatch(/4406|subprotocol/);
    expect((await silent.closed).code).toBe(4408);
  });

  test('refuses messages above a mebibyte, ids above 128 characters and more than 100 operations on one socket', async () => {
    const large = await connect(api);
    large.socket.send('x'.repeat(1024 * 1024 + 1));
    expect((await large.closed).code).toBe(1009);

    const client = await connect(api);
    const long = 'i'.repeat(129);
    subscribe(client, long, '{ me { claims { sub } } }');
    const [refused] = await client.until(
      (messages) => ofOperation(messages, long).length > 0 && ofOperation(messages, long),
    );
    expect(refused).toMatchObject({ type: 'error', payload: [{ extensions: { code: 'BAD_REQUEST' } }] });
    for (let index = 0; index <= 100; index += 1) subscribe(client, String(index), ofWorkflow, { workflowId });
    const [over] = await client.until((messages) => {
      const errors = messages.filter(({ type }) => type === 'error');
      return errors.length > 1 && errors.slice(1);
    });
    expect(over).toMatchObject({ id: '100', payload: [{ extensions: { code: 'TOO_MANY_ATTEMPTS' } }] });
    client.socket.close();
  });

  test('answers a document that does not parse or fit the schema with an error, and keeps the socket', async () => {
    const client = await connect(api);
    for (const [id, query] of [
      ['a', '{'],
      ['b', 'subscription { nothing }'],
      ['c', '{ a: me { b } }'],
    ] as const) {
      subscribe(client, id, query);
      const [answer] = await client.until(
        (messages) => ofOperation(messages, id).length > 0 && ofOperation(messages, id),
      );
      expect(answer?.type).toBe('error');
    }
    subscribe(client, 'd', '{ me { claims { sub } } }');
    await client.until((messages) => ofOperation(messages, 'd').some(({ type }) => type === 'complete'));
    client.socket.close();
  });

  test('serves no other path', async () => {
    const away = new WebSocket((await socketUrl(api)).replace('/graphql', '/other/graphql'), 'graphql-transport-ws');
    const message = await new Promise<string>((resolve) => away.on('error', (error) => resolve(error.message)));
    expect(message).toContain('404');
  });

  test('stops sending after the client completes an operation', async () => {
    const client = await connect(api);
    const runId = await makeRun(api.deps, tenant, workflowId);
    subscribe(client, '1', one, { id: runId });
    await client.until((messages) => ofOperation(messages, '1').length === 1);
    client.send({ id: '1', type: 'complete' });
    subscribe(client, '2', '{ me { claims { sub } } }');
    await client.until((messages) => ofOperation(messages, '2').length === 2);
    await moveRun(api.deps, tenant, runId, 'succeeded');
    await delay(100);
    expect(ofOperation(client.messages, '1')).toHaveLength(1);
    // The id is free again.
    subscribe(client, '1', one, { id: runId });
    await client.until((messages) => ofOperation(messages, '1').some(({ type }) => type === 'complete'));
    client.socket.close();
  });
});

describe('live subscriptions over sockets', () => {
  test('speak with the graphql-ws client', async () => {
    const runId = await makeRun(api.deps, tenant, workflowId);
    const client = await protocolClient();
    const seen: unknown[] = [];
    for await (const { data } of client.iterate<{ runUpdated: { status: string } }>({
      query: one,
      variables: { id: runId },
    })) {
      seen.push(data?.runUpdated.status);
      if (seen.length === 1) await moveRun(api.deps, tenant, runId, 'running');
      if (seen.length === 2) await moveRun(api.deps, tenant, runId, 'succeeded');
    }
    expect(seen).toEqual(['QUEUED', 'RUNNING', 'SUCCEEDED']);
    await client.dispose();
  });

  test('give many sockets the same events under their own ids, including late ones', async () => {
    const own = await makeWorkflow(api.deps, tenant, 'Shared');
    const runs = [await makeRun(api.deps, tenant, own), await makeRun(api.deps, tenant, own)];
    const early = await Promise.all(Array.from({ length: 20 }, () => connect(api)));
    for (const [index, client] of early.entries())
      subscribe(client, index % 2 ? 'same' : `own-${index}`, ofWorkflow, { workflowId: own });
    for (const client of early)
      await client.until((messages) => messages.filter(({ type }) => type === 'next').length === 2);
    const late = await connect(api);
    const path = ['running', 'waiting', 'running', 'succeeded'];
    for (const [step, status] of path.entries()) {
      // A run that had ended before the late one came would be none of its present state.
      if (status === 'succeeded')
        await late.until((messages) => messages.filter(({ type }) => type === 'next').length >= 2);
      for (const runId of runs) await moveRun(api.deps, tenant, runId, status);
      if (step === 1) subscribe(late, 'late', ofWorkflow, { workflowId: own });
    }
    for (const client of [...early, late]) {
      const events = await client.until((messages) => {
        const found = messages.flatMap<Record<string, unknown>>(({ payload }) => payload?.data?.['runUpdated'] ?? []);
        return found.filter(({ status }) => status === 'SUCCEEDED').length === 2 && found;
      });
      const whole = ['QUEUED', ...path.map((status) => status.toUpperCase())];
      for (const runId of runs) {
        const seen = events.filter(({ databaseId }) => databaseId === runId).map(({ status }) => status);
        expect(seen).toEqual(client === late ? whole.slice(-seen.length) : whole);
      }
      expect(new Set(client.messages.flatMap(({ id }) => id ?? [])).size).toBe(1);
      client.socket.close();
    }
  });

  test('send each reader what its own document selects', async () => {
    const runId = await makeRun(api.deps, tenant, workflowId);
    const [narrow, wide] = await Promise.all([connect(api), connect(api, { roles: ['user'] })]);
    subscribe(narrow, '1', 'subscription ($id: ID) { runUpdated(id: $id) { status } }', { id: runId });
    subscribe(wide, '1', 'subscription ($id: ID) { runUpdated(id: $id) { status triggerType } }', {
      id: String(runId),
    });
    await moveRun(api.deps, tenant, runId, 'succeeded');
    const last = async (client: typeof narrow) => {
      await client.until((messages) => messages.some(({ type }) => type === 'complete'));
      return client.messages.at(-2)?.payload?.data?.['runUpdated'];
    };
    expect(await last(narrow)).toEqual({ status: 'SUCCEEDED' });
    expect(await last(wide)).toEqual({ status: 'SUCCEEDED', triggerType: 'MANUAL' });
    narrow.socket.close();
    wide.socket.close();
  });

  test('end with the token: their socket is closed with 4403', async () => {
    const runId = await makeRun(api.deps, tenant, workflowId);
    const bearer = await api.token({}, 6);
    const [client, unused] = [await connect(api, { bearer }), await connect(api, { bearer })];
    subscribe(client, '1', one, { id: runId });
    expect(await client.closed).toEqual({ code: 4403, reason: 'The token has expired' });
    expect(await unused.closed).toEqual({ code: 4403, reason: 'The token has expired' });
    expect(ofOperation(client.messages, '1').map(({ type }) => type)).toEqual(['next']);
  });

  test('skip states that a slow reader missed, and send it the last state of every run', async () => {
    const own = await makeWorkflow(api.deps, tenant, 'Slow');
    const runs = await Promise.all(Array.from({ length: 4 }, () => makeRun(api.deps, tenant, own)));
    const client = await connect(api);
    // A document with long names makes events large, so that few fill the connection's buffers, and the next thousand wait.
    const names = Array.from({ length: 25 }, (_, index) => `field_${index}_${'x'.repeat(3_000)}: triggerType`).join(
      ' ',
    );
    subscribe(
      client,
      '1',
      `subscription ($workflowId: ID) { runUpdated(workflowId: $workflowId) { databaseId status ${names} } }`,
      { workflowId: own },
    );
    await client.until((messages) => messages.length === 5);
    client.socket.pause();
    for (let round = 0; round < 320; round += 1) {
      await Promise.all(runs.map((runId) => moveRun(api.deps, tenant, runId, round % 2 ? 'waiting' : 'running')));
    }
    await Promise.all(runs.map((runId) => moveRun(api.deps, tenant, runId, 'succeeded')));
    client.socket.resume();
    await client.until(
      (messages) =>
        messages.filter(({ payload }) => payload?.data?.['runUpdated']?.['status'] === 'SUCCEEDED').length === 4,
    );
    expect(client.messages.length).toBeLessThan(1 + 4 + 320 * 4 + 4);
    client.socket.close();
  });
});

describe('subscriptions over HTTP', () => {
  test('stream the same states as server-sent events', async () => {
    const runId = await makeRun(api.deps, tenant, workflowId);
    const response = await watchOverHttp(api, runId);
    const moving = moveRun(api.deps, tenant, runId, 'succeeded');
    const text = await response.text();
    await moving;
    expect(text).toContain(`"databaseId":${runId},"status":"SUCCEEDED"`);
    expect(text).toContain('event: complete');
  });
});

describe('a process that is closed', () => {
  test('closes its sockets with 1001, and completes no subscription', async ({ startBeside }) => {
    const own = await startBeside();
    const runId = await makeRun(own.deps, tenant, workflowId);
    const client = await connect(own);
    subscribe(client, '1', one, { id: runId });
    await client.until((messages) => ofOperation(messages, '1').length === 1);
    await own.close();
    expect((await client.closed).code).toBe(1001);
    expect(ofOperation(client.messages, '1').map(({ type }) => type)).toEqual(['next']);
  });

  test('answers mutations in progress on sockets, and accepts no more', async ({ startBeside }) => {
    const own = await startBeside();
    const client = await connect(own);
    const create = 'mutation ($name: String!) { createWorkflow(input: { name: $name }) { __typename } }';
    subscribe(client, '1', create, { name: 'Under way' });
    // The pong says that the message before it was taken.
    client.send({ type: 'ping' });
    await client.until((messages) => messages.some(({ type }) => type === 'pong'));
    const closing = own.close();
    subscribe(client, '2', create, { name: 'Too late' });
    await closing;
    expect((await client.closed).code).toBe(1001);
    expect(ofOperation(client.messages, '1').map(({ type }) => type)).toEqual(['next', 'complete']);
    expect(ofOperation(client.messages, '2')).toEqual([]);
  });

  test('cuts its event streams, without a completing event', async ({ startBeside }) => {
    const own = await startBeside();
    const runId = await makeRun(own.deps, tenant, workflowId);
    const body = (await watchOverHttp(own, runId)).body as ReadableStream<Uint8Array>;
    const decoder = new TextDecoder();
    let text = '';
    const reading = (async () => {
      for await (const chunk of body) text += decoder.decode(chunk);
    })();
    // Handled when it comes, which is before it is awaited.
    reading.catch(() => undefined);
    await vi.waitFor(() => expect(text).toContain(`"databaseId":${runId}`), 10_000);
    await own.close();
    await expect(reading).rejects.toThrow();
    expect(text).not.toContain('complete');
  });

  test('loses no graphql-ws client: it comes back to the next process and sees the run end', async ({
    startBeside,
  }) => {
    const first = await startBeside();
    const runId = await makeRun(first.deps, tenant, workflowId);
    let url = await socketUrl(first);
    const client = createClient({
      url: () => url,
      webSocketImpl: WebSocket,
      retryWait: async () => undefined,
      connectionParams: { authorization: `Bearer ${await api.token()}`, 'X-Tenant-Id': tenant },
    });
    const seen: unknown[] = [];
    for await (const { data } of client.iterate<{ runUpdated: { status: string } }>({
      query: one,
      variables: { id: runId },
    })) {
      seen.push(data?.runUpdated.status);
      if (seen.length === 1) {
        url = await socketUrl(api);
        await first.close();
        await moveRun(api.deps, tenant, runId, 'running');
      } else if (data?.runUpdated.status === 'RUNNING') await moveRun(api.deps, tenant, runId, 'succeeded');
    }
    expect([seen[0], seen.at(-1)]).toEqual(['QUEUED', 'SUCCEEDED']);
    await client.dispose();
  });
});

/** A run's changes as server-sent events. */
async function watchOverHttp(app: TestApp, runId: number): Promise<Response> {
  return fetch((await socketUrl(app)).replace('ws:', 'http:'), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'text/event-stream',
      authorization: `Bearer ${await app.token()}`,
      'x-tenant-id': tenant,
    },
    body: JSON.stringify({ query: one, variables: { id: runId } }),
  });
}

async function protocolClient(): Promise<Client> {
  return createClient({
    url: await socketUrl(api),
    webSocketImpl: WebSocket,
    retryAttempts: 0,
    connectionParams: { authorization: `Bearer ${await api.token()}`, 'X-Tenant-Id': tenant },
  });
}
