import { fileURLToPath } from 'node:url';
import { fetchHttp } from '@causeway/node-kit/http';
import { packNodePackage } from '@causeway/node-kit/pack';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startErp } from '#examples/erp-nodes/erp/server.ts';
import type { Erp } from '#examples/erp-nodes/erp/server.ts';
import { readPackageArchive } from '#src/automation/packages/archive/archive.ts';
import { bundleModule } from '#src/automation/packages/bundler/bundle.ts';
import { memoryBroker, type NodeCode, nodeCode, requireOutputs } from '#test/workers/runtime/harness.ts';
import { createRuntime } from '#workers/runtime/runtime.ts';
import type { Runtime } from '#workers/runtime/runtime.ts';

const folder = fileURLToPath(new URL('../../examples/erp-nodes/', import.meta.url));
const token = 'token-of-the-erp';

let erp: Erp;
let runtime: Runtime;
let files: Map<string, Buffer>;
beforeAll(async () => {
  files = await readPackageArchive(await packNodePackage(folder));
  [erp, runtime] = await Promise.all([startErp({ token }), createRuntime()]);
});
afterAll(() => Promise.all([erp.close(), runtime.close()]));

const broker = memoryBroker({
  http: (request) => fetchHttp.request(request),
  credential: async (reference, field) => (reference === 'credential' && field === 'token' ? token : null),
});

async function bundleCode(entry: string, exported: 'execute' | 'test'): Promise<NodeCode> {
  const bundle = await bundleModule(files, entry, exported);
  if (!bundle.ok) throw new Error(JSON.stringify(bundle.errors));
  return nodeCode(bundle.hash, bundle.code);
}

test('the sandbox behaves like the kit: an order reaches the ERP', async () => {
  const outcome = await runtime.execute({
    owner: 'tenant-a',
    ...(await bundleCode('nodes/create-order.ts', 'execute')),
    entry: 'execute',
    input: {
      config: {
        base_url: erp.url,
        credential: 7,
        order: { number: '10001', positions: [{ sku: 'A', quantity: '1' }] },
      },
      inputs: {},
      idempotencyKey: 'run-1/create_order',
    },
    timeoutMs: 10_000,
    broker,
  });
  expect(requireOutputs(outcome)).toEqual({ erp_number: 'ERP-000001', status: 'open' });
  expect(outcome.logs).toEqual([{ level: 'info', message: 'Order 10001 is ERP-000001 in the ERP.' }]);
  expect(erp.receipts).toMatchObject([{ idempotencyKey: 'run-1/create_order', order: { externalNumber: '10001' } }]);
});

test("a NodeError's code and a credential type's test work in the sandbox", async () => {
  const refused = await runtime.execute({
    owner: 'tenant-a',
    ...(await bundleCode('nodes/create-order.ts', 'execute')),
    entry: 'execute',
    input: { config: { base_url: erp.url, order: { number: '1', positions: [] } }, inputs: {} },
    timeoutMs: 10_000,
    broker,
  });
  expect(refused).toMatchObject({ ok: false, kind: 'threw', error: { code: 'INVALID_ORDER' } });
  const tested = await runtime.execute({
    owner: 'tenant-a',
    ...(await bundleCode('credentials/api.ts', 'test')),
    entry: 'test',
    input: { config: { base_url: erp.url, token } },
    timeoutMs: 10_000,
    broker,
  });
  expect(tested).toMatchObject({ ok: true, value: { ok: true, message: 'The ERP accepts the token.' } });
});
