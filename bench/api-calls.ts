/**
 * Measures the overhead of a node that describes its call, compared with core:http-request. Both send the same request to the same receiver
 * in this process, in turn. `node bench/api-calls.ts [calls]`
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { callNode } from '#src/automation/connectors/calls/call-node.ts';
import { httpRequestNode } from '#src/automation/core-nodes/http-request.ts';
import type { NodeContext, RunnableNode } from '#src/automation/node-api/builtin-node.ts';
import type { OpenCredential } from '#src/automation/node-api/ports.ts';
import { parseAllowList } from '#src/infra/egress/allow-list.ts';
import { createEgress } from '#src/infra/egress/egress.ts';
import { printFigure } from './lib/figure.ts';
import { summarise } from './lib/stats.ts';

const calls = Number(process.argv[2] ?? 5_000);
const warmUp = 500;

const server = createServer((request, response) => {
  request.resume().on('end', () => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":7,"state":"open"}');
  });
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const egress = createEgress({ allow: parseAllowList(new URL(base).host) });

const never = (): never => {
  throw new Error('A call uses HTTP and credentials alone.');
};
const open = (credential: Partial<OpenCredential>): NodeContext => ({
  inputs: {},
  scope: { trigger: { payload: null, type: 'manual', handle: null }, nodes: {}, run: { id: 1, started_at: '' } },
  evaluate: never,
  hasEdge: () => false,
  signal: new AbortController().signal,
  idempotencyKey: 'run-1/step/1',
  ports: {
    tenant: { id: never, actor: never },
    state: { get: never, set: never },
    events: { emit: never },
    sandbox: { run: never },
    files: { open: never, create: never },
    sockets: { open: never },
    http: egress,
    credentials: {
      open: async () => ({
        type: 'shop:key',
        field: async (name) => (name === 'base_url' ? undefined : 'token-of-the-bench'),
        ...credential,
      }),
    },
  },
});

const order = { lines: Array.from({ length: 10 }, (_, n) => ({ sku: `SKU-${n}`, quantity: n, price: 995 })) };
const sides: Record<'described' | 'core', () => unknown> = {
  described: use(
    callNode({
      slug: 'shop:put-order',
      version: '1.0.0',
      call: {
        method: 'PUT',
        base_url: base,
        path: '/shops/{shop}/orders/{id}',
        parameters: [
          { field: 'shop', name: 'shop', in: 'path', style: 'simple', explode: false },
          { field: 'id', name: 'id', in: 'path', style: 'simple', explode: false },
          { field: 'expand', name: 'expand', in: 'query', style: 'form', explode: true },
          { field: 'filter', name: 'filter', in: 'query', style: 'deepObject', explode: true },
          { field: 'version', name: 'X-Version', in: 'header', style: 'simple', explode: false },
        ],
        body: { field: 'body', media_type: 'application/json', as: 'json' },
        credential: 'credential',
        answers: [
          { status: '200', branch: 'default' },
          { status: '4XX', branch: 'refused' },
        ],
      },
    }),
    { shop: 'de', id: 'A-7', expand: ['a', 'b'], filter: { state: 'open' }, version: '2', body: order, credential: 1 },
    open({ sends: [{ as: 'bearer', field: 'token' }] }),
  ),
  core: use(
    httpRequestNode,
    {
      method: 'PUT',
      url: `${base}/shops/de/orders/A-7`,
      query: { expand: ['a', 'b'], 'filter[state]': 'open' },
      headers: { 'X-Version': '2' },
      body: order,
      credential: 1,
    },
    open({ type: 'core:bearer' }),
  ),
};

function use(node: RunnableNode, config: object, context: NodeContext): () => unknown {
  return () => node.execute(config, context);
}

const times = { described: [] as number[], core: [] as number[] };
for (let count = -warmUp; count < calls; count += 1) {
  for (const side of ['core', 'described'] as const) {
    const began = performance.now();
    await sides[side]();
    if (count >= 0) times[side].push(performance.now() - began);
  }
}
await egress.close();
server.close();

const described = summarise(times.described);
const core = summarise(times.core);
printFigure({
  figure: 'described-call-overhead',
  value: described.p50 - core.p50,
  unit: 'ms',
  reach: { of: 'value', atMost: 1 },
  detail: { calls, described, core },
});
