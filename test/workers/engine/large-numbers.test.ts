import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect } from 'vitest';
import { registerNodePackage } from '#src/automation/packages/node-packages.service.ts';
import { buildWorkflow } from '#src/automation/workflows/bundles.service.ts';
import { packageArchive } from '#test/automation/packages/package-archive.ts';
import { call } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { node, readyWorkflow, untilRun } from '#test/setup/engine.ts';

const id = '820982911946154508';
const sent = `{"id":${id},"price":10.10,"most":1e400,"fine":0.1234567890123456789}`;
const read = { id, price: 10.1, most: '1e400', fine: '0.1234567890123456789' };
/** Members in the order in which Postgres answers them. */
const stored = { id: read.id, fine: read.fine, most: read.most, price: read.price };

/** Sends its config on, and answers what it was given and what came back. */
const archive = packageArchive({
  name: 'passing-nodes',
  namespace: 'passing',
  nodes: [
    {
      name: 'pass',
      version: '1.0.0',
      manifest: {
        config: [
          { key: 'url', type: 'url' },
          { key: 'data', type: 'json' },
        ],
      },
      code: `export const execute = async ({ config, http }) => {
        const { body } = await http.request({ method: 'POST', url: config.url, body: config.data });
        return { outputs: { given: config.data, body } };
      };`,
    },
  ],
});

let api: TestApp;
let erp: Server;
let url: string;
const received: string[] = [];
test.beforeAll(async ({ api: started, startEngine }) => {
  api = started;
  erp = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (part: string) => (body += part));
    request.on('end', () => {
      received.push(body);
      response.writeHead(200, { 'content-type': 'application/json' }).end(sent);
    });
  });
  await new Promise<void>((listening) => erp.listen(0, '127.0.0.1', listening));
  const host = `127.0.0.1:${(erp.address() as AddressInfo).port}`;
  url = `http://${host}/`;
  await registerNodePackage(api.deps, { orgId: 'acme', archive });
  await startEngine({ allow: host });
});
afterAll(async () => {
  await new Promise((closed) => erp.close(closed));
});

test('a number that no double represents keeps its digits from a webhook through every node to the graph', async () => {
  const order = '{{ trigger.payload.body }}';
  const nodes = [
    node('send', 'http-request', { method: 'POST', url, body: order }),
    node('numeral', 'http-request', { method: 'POST', url, body: '{"id": {{ trigger.payload.body.id }}}' }),
    node('read', 'parse', { format: 'json', text: sent }),
    node('write', 'render', { format: 'json', data: order }),
    { id: 'pass', node: 'passing:pass', version: '1.0.0', config: { url, data: order } },
    node('same', 'set', {
      values: {
        literal: `{{ trigger.payload.body.id = ${id} }}`,
        other: '{{ trigger.payload.body.id = 820982911946154509 }}',
        sum: '{{ $decimalAdd(trigger.payload.body.id, 1) }}',
        text: 'order {{ trigger.payload.body.id }}',
      },
    }),
    node('which', 'switch', { value: '{{ trigger.payload.body.id }}', cases: [{ equals: id, branch: 'this' }] }),
  ];
  const blob = { version: 'v1', nodes, edges: [] };
  const made = await call(api, 'POST', '/workflows', { body: { name: 'Large numbers', blob } });
  const workflowId = Number(made.body['id']);
  await buildWorkflow(api.deps, { tenantId: 'acme-shop', workflowId });
  const trigger = await call(api, 'POST', `/workflows/${workflowId}/triggers`, {
    body: { type: 'webhook', name: 'Fire' },
  });
  const fired = await call(api, 'POST', `/webhooks/${trigger.body['handle']}`, { body: sent });
  const { steps } = await untilRun(api, Number(fired.body['run_id']));
  const outputs = Object.fromEntries(steps.map((step) => [step.path, step.outputs ?? step.error]));

  expect(outputs).toMatchObject({
    send: { body: read },
    read: { data: read },
    write: { text: JSON.stringify(stored) },
    pass: { given: read, body: read },
    same: { literal: true, other: false, sum: '820982911946154509', text: `order ${id}` },
  });
  expect(steps.find(({ path }) => path === 'which')?.branch).toBe('this');
  const passedOn = JSON.stringify(stored);
  expect(received.toSorted()).toEqual([passedOn, passedOn, `{"id": ${id}}`].toSorted());
  const run = await call(api, 'GET', `/workflows/${workflowId}/runs/${fired.body['run_id']}`);
  expect(run.body).toMatchObject({ payload: { body: read } });
});

test('the graph keeps them in variables and literals, and in its responses', async () => {
  const { workflowId } = await readyWorkflow(api, { nodes: [] }, { type: 'manual' });
  const workflow = Buffer.from(`Workflow:${workflowId}`).toString('base64');
  const start = (payload: string) =>
    `startRun(input: { workflowId: "${workflow}", payload: ${payload} }) { ... on StartRunPayload { run { payload } } }`;
  const literal = `{ id: ${id}, price: 10.10, most: 1e400, fine: 0.1234567890123456789 }`;
  for (const [query, variables] of [
    [`mutation ($payload: JSON) { ${start('$payload')} }`, `{"payload":${sent}}`],
    [`mutation { ${start(literal)} }`, '{}'],
    [`mutation ($id: JSON) { ${start(literal.replace(id, '$id'))} }`, `{"id":${id}}`],
  ] as const) {
    const answer = await api.app.inject({
      method: 'POST',
      url: '/graphql',
      headers: {
        authorization: `Bearer ${await api.token({})}`,
        'x-tenant-id': 'acme-shop',
        'content-type': 'application/json',
      },
      payload: `{"query":${JSON.stringify(query)},"variables":${variables}}`,
    });
    expect(answer.json()).toEqual({ data: { startRun: { run: { payload: read } } } });
  }
});
