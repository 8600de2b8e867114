import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { observations } from '#src/infra/observations/observations.ts';
import { startTestApp, type TestApp } from '#test/setup/app.ts';
import { connect, type Message, ofOperation, type RawClient, socketUrl, subscribe } from '#test/setup/live.ts';
import { type ReplicatedServer, startReplicatedServer } from '#test/setup/standby.ts';
import { startsProcesses } from '#test/setup/timeouts.ts';

let server: ReplicatedServer;
let first: TestApp;
/** As another process on the same database, behind the same proxy. */
let second: TestApp;

beforeAll(async () => {
  server = await startReplicatedServer();
  const place = { databaseUrl: server.primaryUrl, replicaUrl: server.replicaUrl };
  first = await startTestApp(place);
  second = await startTestApp({ ...place, dataDir: first.dataDir });
}, 60_000);

afterAll(async () => {
  await second?.close();
  await first?.close();
  await server?.close();
});

const answeredBy: string[] = [];
observations.tenantRead.listen(({ by }) => answeredBy.push(by));
beforeEach(() => void answeredBy.splice(0));

async function send(
  { app, token }: TestApp,
  {
    method = 'POST',
    url = '/graphql',
    body,
    headers = {},
  }: { method?: 'GET' | 'POST'; url?: string; body?: object; headers?: object },
) {
  return app.inject({
    method,
    url,
    headers: {
      authorization: `Bearer ${await token()}`,
      'x-tenant-id': 'acme-shop',
      ...(body && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body && { payload: JSON.stringify(body) }),
  });
}

const createWorkflow = `mutation ($name: String!) { createWorkflow(input: { name: $name }) { ... on CreateWorkflowPayload { workflow { id name } } } }`;
const renameWorkflow = `mutation ($id: ID!, $name: String!) { updateWorkflow(input: { id: $id, name: $name }) { __typename } }`;
const watchWorkflow = 'subscription ($id: ID!) { workflowUpdated(id: $id) { workflow { name } } }';

async function makeWorkflow(app: TestApp): Promise<string> {
  const made = await app.graphql<{ createWorkflow: { workflow: { id: string } } }>(createWorkflow, { name: 'Watched' });
  return made.data.createWorkflow.workflow.id;
}

async function openClient(app: TestApp): Promise<RawClient> {
  const client = await connect(app);
  onTestFinished(() => client.socket.close());
  return client;
}

type Result = NonNullable<Message['payload']>;

/** Waits for the result that contains the text. */
const resultOver = (client: RawClient, operation: string, text: string): Promise<Result> =>
  client.until((messages) =>
    ofOperation(messages, operation)
      .map(({ payload }) => payload)
      .find((payload) => JSON.stringify(payload?.data ?? null).includes(text)),
  );

/** Watches a workflow over either transport. Returns a function that waits for the event with the text. */
const watch = {
  async 'a socket'(app: TestApp, id: string) {
    const client = await openClient(app);
    subscribe(client, 'watch', watchWorkflow, { id });
    return (text: string) => resultOver(client, 'watch', text);
  },
  async 'an event stream'(app: TestApp, id: string) {
    const stop = new AbortController();
    onTestFinished(() => stop.abort());
    const stream = await fetch((await socketUrl(app)).replace('ws:', 'http:'), {
      method: 'POST',
      headers: {
        authorization: `Bearer ${await app.token()}`,
        'x-tenant-id': 'acme-shop',
        'content-type': 'application/json',
        accept: 'text/event-stream',
      },
      body: JSON.stringify({ query: watchWorkflow, variables: { id } }),
      signal: stop.signal,
    });
    const chunks = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
    let received = '';
    return async (text: string) => {
      for (;;) {
        const lines = received.split('\n\n').slice(0, -1).join('\n').split('\n');
        const found = lines.find((line) => line.startsWith('data: ') && line.includes(text));
        if (found !== undefined) return JSON.parse(found.slice('data: '.length)) as Result;
        received += (await chunks?.read())?.value ?? '';
      }
    };
  },
};

let names = 0;

/** Makes a workflow over GraphQL or REST; returns its name and the token of the answer. */
async function write(app: TestApp, by: 'GraphQL' | 'REST' = 'GraphQL') {
  const name = `Workflow ${(names += 1)}`;
  const answer =
    by === 'GraphQL'
      ? await send(app, { body: { query: createWorkflow, variables: { name } } })
      : await send(app, { url: '/api/v1/workflows', body: { name } });
  expect(answer.body).toContain(name);
  return { name, token: answer.headers['x-read-after'] as string };
}

const listWorkflows = { body: { query: '{ workflows(first: 100) { edges { node { name } } } }' } };
const reads = {
  GraphQL: listWorkflows,
  REST: { method: 'GET' as const, url: '/api/v1/workflows?per_page=100' },
};

/** Reads until the replica answers, which nobody waits for. */
async function warm(app: TestApp): Promise<void> {
  for (const deadline = Date.now() + 20_000; ; await delay(50)) {
    answeredBy.splice(0);
    await send(app, listWorkflows);
    if (answeredBy[0] === 'replica') break;
    if (Date.now() > deadline) throw new Error('The replica does not answer.');
  }
  answeredBy.splice(0);
}

/** Stops the replay of the standby until the end of the test. */
async function fallBehind(): Promise<void> {
  onTestFinished(() => server.resumeReplay());
  await server.pauseReplay();
}

describe('Queries on a replica', () => {
  test.for(['GraphQL', 'REST'] as const)(
    'over %s are answered by it, and its lists are those of the primary',
    startsProcesses,
    async (by) => {
      await write(first);
      await warm(first);
      await server.replayed();
      const answer = await send(first, reads[by]);
      expect(answer.statusCode).toBe(200);
      expect(answer.body).toContain(`Workflow ${names}`);
      expect(answeredBy.length).toBeGreaterThan(0);
      expect(new Set(answeredBy)).toEqual(new Set(['replica']));
    },
  );

  test('find what the same process wrote just before, over any API', startsProcesses, async () => {
    await warm(first);
    await fallBehind();
    for (const by of ['GraphQL', 'REST'] as const) {
      for (const found of ['GraphQL', 'REST'] as const) {
        const { name } = await write(first, by);
        expect((await send(first, reads[found])).body).toContain(name);
      }
    }
    expect(answeredBy).not.toContain('replica');
  });

  test('find what another process wrote, if they have the token of its answer', startsProcesses, async () => {
    await warm(second);
    await fallBehind();
    for (const by of ['GraphQL', 'REST'] as const) {
      const { name, token } = await write(first, by);
      expect((await send(second, { ...reads[by], headers: { 'x-read-after': token } })).body).toContain(name);
    }
    await server.resumeReplay();
    await server.replayed();
    await server.pauseReplay();
    const { name } = await write(first);
    answeredBy.splice(0);
    expect((await send(second, listWorkflows)).body).not.toContain(name);
    expect(new Set(answeredBy)).toEqual(new Set(['replica']));
  });

  test('ignore a token that is forged, or of another tenant', startsProcesses, async () => {
    await warm(second);
    // A standby that stays behind for two seconds answers nothing.
    onTestFinished(() => server.delayReplay(0));
    await server.delayReplay(500);
    const { token } = await write(first);
    const other = await second.graphql(
      '{ workflows(first: 1) { edges { node { name } } } }',
      {},
      { tenant: 'acme-outlet' },
    );
    expect(other.errors).toBeUndefined();
    answeredBy.splice(0);
    for (const sent of ['', 'x', `${token}A`, token.slice(1), 'é'.repeat(5_000)]) {
      const answer = await send(second, { ...listWorkflows, headers: { 'x-read-after': encodeURIComponent(sent) } });
      expect(answer.statusCode).toBe(200);
    }
    const foreign = await send(second, {
      ...listWorkflows,
      headers: { 'x-read-after': token, 'x-tenant-id': 'acme-outlet' },
    });
    expect(foreign.statusCode).toBe(200);
    expect(new Set(answeredBy)).toEqual(new Set(['replica']));
  });

  test.for(['a socket', 'an event stream'] as const)(
    'see the state that an event over %s reported: in the same process, and in others by the token of the event',
    startsProcesses,
    async (by) => {
      await warm(first);
      await warm(second);
      const id = await makeWorkflow(first);
      const event = await watch[by](first, id);
      await event('Watched');
      await fallBehind();
      // Written by a third process.
      const name = `Renamed over ${by}`;
      const alone = await startTestApp({ databaseUrl: server.primaryUrl, dataDir: first.dataDir });
      onTestFinished(() => alone.close());
      await alone.graphql(renameWorkflow, { id, name });
      const { extensions } = await event(name);
      const headers = { 'x-read-after': extensions?.readAfter };
      expect((await send(second, { ...listWorkflows, headers })).body).toContain(name);
      expect((await send(first, listWorkflows)).body).toContain(name);
    },
  );

  test('see the write of a mutation over a socket, over HTTP and over another socket', startsProcesses, async () => {
    await warm(second);
    await fallBehind();
    const [writer, reader] = [await openClient(first), await openClient(second)];
    for (const by of ['HTTP', 'socket']) {
      // Otherwise the token of the previous round would make the primary answer.
      await server.resumeReplay();
      await server.replayed();
      await server.pauseReplay();
      const name = `Written for ${by}`;
      subscribe(writer, by, createWorkflow, { name });
      const { readAfter = '' } = (await resultOver(writer, by, name)).extensions ?? {};
      if (by === 'HTTP') {
        const answer = await send(second, { ...listWorkflows, headers: { 'x-read-after': readAfter } });
        expect(answer.body).toContain(name);
      } else {
        reader.send({ id: by, type: 'subscribe', payload: { ...listWorkflows.body, extensions: { readAfter } } });
        await reader.until((messages) => ofOperation(messages, by).some(({ type }) => type === 'complete'));
        expect(JSON.stringify(reader.messages)).toContain(name);
      }
    }
  });
});

test('results over a socket have no token if there is no replica', startsProcesses, async () => {
  const alone = await startTestApp({ databaseUrl: server.primaryUrl, dataDir: first.dataDir });
  onTestFinished(() => alone.close());
  const id = await makeWorkflow(alone);
  const client = await openClient(alone);
  subscribe(client, 'watch', watchWorkflow, { id });
  expect(Object.keys(await resultOver(client, 'watch', 'Watched'))).toEqual(['data']);
  subscribe(client, 'write', createWorkflow, { name: 'Alone' });
  expect(Object.keys(await resultOver(client, 'write', 'Alone'))).toEqual(['data']);
});

test('a mutation reads nothing on the replica', startsProcesses, async () => {
  await warm(first);
  await write(first);
  expect(answeredBy).toEqual([]);
});
