import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createGraphClient } from '#console/graph/client.ts';
import type { Session } from '#console/session/session.ts';
import { observations } from '#src/infra/observations/observations.ts';
import { startTestApp, type TestApp } from '#test/setup/app.ts';
import { type ReplicatedServer, startReplicatedServer } from '#test/setup/standby.ts';
import { startsProcesses } from '#test/setup/timeouts.ts';

let server: ReplicatedServer;
/** Has the sockets; the other has the requests, as a proxy before both may do it. */
let ofSockets: TestApp;
let ofRequests: TestApp;

beforeAll(async () => {
  server = await startReplicatedServer();
  const place = { databaseUrl: server.primaryUrl, replicaUrl: server.replicaUrl };
  ofSockets = await startTestApp(place);
  ofRequests = await startTestApp({ ...place, dataDir: ofSockets.dataDir });
  for (const { app } of [ofSockets, ofRequests]) await app.listen({ port: 0, host: '127.0.0.1' });
}, 60_000);

afterAll(async () => {
  await ofRequests?.close();
  await ofSockets?.close();
  await server?.close();
});

const port = ({ app }: TestApp): number => (app.server.address() as AddressInfo).port;

async function startProxy(): Promise<string> {
  const open = new Set<Socket>();
  const proxy = createServer((incoming, answer) => {
    const { method, url, headers } = incoming;
    incoming.pipe(
      request({ port: port(ofRequests), method, path: url, headers, agent: false }, (response) => {
        answer.writeHead(response.statusCode ?? 502, response.headers);
        response.pipe(answer);
      }),
    );
  });
  proxy.on('upgrade', ({ url, headers }, client: Socket) => {
    const upstream = connect(port(ofSockets), '127.0.0.1');
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

async function openConsoleClient() {
  const token = await ofRequests.token();
  const session = { accessToken: async () => token, subscribe: () => () => undefined } as Partial<Session> as Session;
  const { uncached, dispose } = createGraphClient({ session, tenant: 'acme-shop', base: await startProxy() });
  onTestFinished(dispose);
  return uncached;
}

const answeredBy: string[] = [];
observations.tenantRead.listen(({ by }) => answeredBy.push(by));

const listWorkflows = '{ workflows(first: 100) { edges { node { name } } } }';

test(
  'the console finds what an event told of, where its requests lead to another process',
  startsProcesses,
  async () => {
    const made = await ofSockets.graphql<{ createWorkflow: { workflow: { id: string } } }>(
      'mutation { createWorkflow(input: { name: "Watched" }) { ... on CreateWorkflowPayload { workflow { id } } } }',
    );
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
    const list = async () => JSON.stringify((await client.query(listWorkflows, {}).toPromise()).data);
    await expect.poll(async () => (await list()) && answeredBy.at(-1)).toBe('replica');

    onTestFinished(() => server.delayReplay(0));
    await server.delayReplay(500);
    const rename = 'mutation ($id: ID!) { updateWorkflow(input: { id: $id, name: "Renamed" }) { __typename } }';
    await ofSockets.graphql(rename, { id });
    await expect.poll(() => names).toContain('Renamed');
    expect(await list()).toContain('Renamed');
  },
);
