import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { observations } from '#src/infra/observations/observations.ts';
import { startTestApp, type TestApp } from '#test/setup/app.ts';
import { openSocket, socketUrl } from '#test/setup/live.ts';
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

let names = 0;

/** Makes a workflow over GraphQL or REST; returns its name and the token of the answer. */
async function write(app: TestApp, by: 'GraphQL' | 'REST' = 'GraphQL') {
  const name = `Workflow ${(names += 1)}`;
  const mutation = `mutation ($name: String!) { createWorkflow(input: { name: $name }) { ... on CreateWorkflowPayload { workflow { name } } } }`;
  const answer =
    by === 'GraphQL'
      ? await send(app, { body: { query: mutation, variables: { name } } })
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

async function lagging(ms: number): Promise<void> {
  onTestFinished(() => server.delayReplay(0));
  await server.delayReplay(ms);
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
    await lagging(500);
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
    await lagging(500);
    for (const by of ['GraphQL', 'REST'] as const) {
      const { name, token } = await write(first, by);
      expect((await send(second, { ...reads[by], headers: { 'x-read-after': token } })).body).toContain(name);
    }
    await server.replayed();
    const { name } = await write(first);
    answeredBy.splice(0);
    expect((await send(second, listWorkflows)).body).not.toContain(name);
    expect(new Set(answeredBy)).toEqual(new Set(['replica']));
  });

  test('ignore a token that is forged, or of another tenant', startsProcesses, async () => {
    await warm(second);
    await lagging(500);
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

  test('find what a subscription has told of', startsProcesses, async () => {
    await warm(second);
    const client = await openSocket(await socketUrl(second));
    onTestFinished(() => client.socket.close());
    const headers = { authorization: `Bearer ${await second.token()}`, 'x-tenant-id': 'acme-shop' };
    client.send({ type: 'connection_init', payload: headers });
    await client.until((messages) => messages.some(({ type }) => type === 'connection_ack'));
    const made = await second.graphql<{ createWorkflow: { workflow: { id: string } } }>(
      'mutation { createWorkflow(input: { name: "Watched" }) { ... on CreateWorkflowPayload { workflow { id } } } }',
    );
    const { id } = made.data.createWorkflow.workflow;
    const query = 'subscription ($id: ID!) { workflowUpdated(id: $id) { workflow { name } } }';
    client.send({ type: 'subscribe', id: '1', payload: { query, variables: { id } } });
    await client.until((messages) => messages.some(({ type }) => type === 'next'));
    await lagging(500);
    const rename = 'mutation ($id: ID!) { updateWorkflow(input: { id: $id, name: "Renamed" }) { __typename } }';
    await first.graphql(rename, { id });
    await client.until((messages) => JSON.stringify(messages).includes('Renamed'));
    expect((await send(second, listWorkflows)).body).toContain('Renamed');
  });
});

test('a mutation reads nothing on the replica', startsProcesses, async () => {
  await warm(first);
  await write(first);
  expect(answeredBy).toEqual([]);
});
