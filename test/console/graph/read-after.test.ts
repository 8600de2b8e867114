import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Client } from '@urql/core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createGraphClient } from '#console/graph/client.ts';
import type { Session } from '#console/session/session.ts';
import { observations } from '#src/infra/observations/observations.ts';
import { startTestApp, type TestApp } from '#test/setup/app.ts';
import { type ReplicatedServer, startReplicatedServer } from '#test/setup/standby.ts';
import { startsProcesses } from '#test/setup/timeouts.ts';

let server: ReplicatedServer;
/** `writer` receives the mutations and the sockets, and `reader` the queries, as may happen behind a proxy. */
let writer: TestApp;
let reader: TestApp;

beforeAll(async () => {
  server = await startReplicatedServer();
  const place = { databaseUrl: server.primaryUrl, replicaUrl: server.replicaUrl };
  writer = await startTestApp(place);
  reader = await startTestApp({ ...place, dataDir: writer.dataDir });
  for (const { app } of [writer, reader]) await app.listen({ port: 0, host: '127.0.0.1' });
}, 60_000);

afterAll(async () => {
  await reader?.close();
  await writer?.close();
  await server?.close();
});

const port = ({ app }: TestApp): number => (app.server.address() as AddressInfo).port;

/** Starts the proxy; returns its URL. It holds the answer to a request with the word "Slow" until `release`. */
async function startProxy(release: Promise<void>): Promise<string> {
  const open = new Set<Socket>();
  const proxy = createServer((incoming, answer) => {
    const pass = async () => {
      const { method = '', url, headers } = incoming;
      const body = await text(incoming);
      const to = request({ port: port(body.includes('mutation') ? writer : reader), method, path: url, headers });
      to.end(body);
      const [response] = (await once(to, 'response')) as [IncomingMessage];
      const received = await text(response);
      if (body.includes('Slow')) await release;
      answer.writeHead(response.statusCode ?? 502, response.headers).end(received);
    };
    pass().catch(() => answer.destroy());
  });
  proxy.on('upgrade', ({ url, headers }, client: Socket) => {
    const upstream = connect(port(writer), '127.0.0.1');
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}`);
    upstream.write([`GET ${url} HTTP/1.1`, ...lines, '', ''].join('\r\n'));
    client.pipe(upstream).pipe(client);
    for (const each of [client, upstream]) open.add(each.on('error', () => undefined));
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  onTestFinished(() => {
    for (const each of open) each.destroy();
    proxy.closeAllConnections();
    proxy.close();
  });
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/`;
}

async function openConsoleClient(release = Promise.resolve()) {
  const token = await reader.token();
  const session = { accessToken: async () => token, subscribe: () => () => undefined } as Partial<Session> as Session;
  const { uncached, dispose } = createGraphClient({ session, tenant: 'acme-shop', base: await startProxy(release) });
  onTestFinished(dispose);
  return uncached;
}

const answeredBy: string[] = [];
observations.tenantRead.listen(({ by }) => answeredBy.push(by));

interface Workflows {
  workflows: { edges: { node: { name: string } }[] };
}

async function readNames(client: Client): Promise<string[]> {
  const query = '{ workflows(first: 100) { edges { node { name } } } }';
  const { data, error } = await client.query<Workflows>(query, {}).toPromise();
  if (error) throw error;
  return data?.workflows.edges.map(({ node }) => node.name) ?? [];
}

const createWorkflow =
  'mutation ($name: String!) { createWorkflow(input: { name: $name }) { ... on CreateWorkflowPayload { workflow { id name } } } }';

/** Reads until the standby answers, then stops its replay until the end of the test. */
async function fallBehind(client: Client): Promise<void> {
  await server.replayed();
  await expect.poll(async () => (await readNames(client)) && answeredBy.at(-1)).toBe('replica');
  onTestFinished(() => server.resumeReplay());
  await server.pauseReplay();
}

test(
  'the console sees the state that an event reported, even if another process answers its queries',
  startsProcesses,
  async () => {
    const made = await writer.graphql<{ createWorkflow: { workflow: { id: string } } }>(createWorkflow, {
      name: 'Watched',
    });
    const { id } = made.data.createWorkflow.workflow;
    const client = await openConsoleClient();
    const names: string[] = [];
    const watching = client
      .subscription<{ workflowUpdated: { workflow: { name: string } } }>(
        'subscription ($id: ID!) { workflowUpdated(id: $id) { workflow { name } } }',
        { id },
      )
      .subscribe(({ data }) => void names.push(data?.workflowUpdated.workflow.name ?? ''));
    onTestFinished(() => watching.unsubscribe());
    await expect.poll(() => names).toContain('Watched');
    await fallBehind(client);
    const rename = 'mutation ($id: ID!) { updateWorkflow(input: { id: $id, name: "Renamed" }) { __typename } }';
    await writer.graphql(rename, { id });
    await expect.poll(() => names).toContain('Renamed');
    expect(await readNames(client)).toContain('Renamed');
  },
);

test(
  'the console sees the later of two writes, even if the answer to the earlier one arrives last',
  startsProcesses,
  async () => {
    const { promise, resolve: release } = Promise.withResolvers<void>();
    const client = await openConsoleClient(promise);
    const slow = client.mutation(createWorkflow, { name: 'Slow' }).toPromise();
    await expect.poll(() => readNames(client)).toContain('Slow');
    await fallBehind(client);
    await client.mutation(createWorkflow, { name: 'Quick' }).toPromise();
    release();
    await slow;
    expect(await readNames(client)).toContain('Quick');
  },
);
