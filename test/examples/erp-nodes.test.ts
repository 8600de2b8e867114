import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { runInNewContext } from 'node:vm';
import type { NodeDefinition } from '@causeway/node-kit';
import { packNodePackage } from '@causeway/node-kit/pack';
import { migrateConfig, runCredentialTest, runNode } from '@causeway/node-kit/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { startErp } from '#examples/erp-nodes/erp/server.ts';
import type { Erp } from '#examples/erp-nodes/erp/server.ts';
import { readPackageArchive } from '#src/automation/packages/archive/archive.ts';
import { bundleModule } from '#src/automation/packages/bundler/bundle.ts';
import { readNodePackage } from '#src/automation/packages/package-manifest.rules.ts';

const folder = fileURLToPath(new URL('../../examples/erp-nodes/', import.meta.url));

let scratch: string;
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'erp-nodes-'));
});
afterAll(() => rm(scratch, { recursive: true }));

describe('the example package', () => {
  test('packs into an archive that passes every check of an upload', async () => {
    const files = await readPackageArchive(await packNodePackage(folder));
    const description = readNodePackage(files);
    expect(description).toMatchObject({ name: '@causeway-examples/erp-nodes', namespace: 'erp', label: 'ERP' });
    expect(description.nodes.map(({ slug }) => slug)).toEqual(['erp:create-order', 'erp:get-stock']);
    expect(description.credentialTypes.map(({ slug }) => slug)).toEqual(['erp:api']);
    expect(description.templates.map(({ slug }) => slug)).toEqual(['erp:order-to-erp']);
    expect([...files.keys()].filter((path) => /^(test|erp|node_modules)\//.test(path))).toEqual([]);
  });

  test('packs the files that npm pack does, and either archive is accepted', async () => {
    await promisify(execFile)('npm', ['pack', '--ignore-scripts', '--pack-destination', scratch], { cwd: folder });
    const [name = ''] = (await readdir(scratch)).filter((file) => file.endsWith('.tgz'));
    const theirs = await readPackageArchive(await readFile(join(scratch, name)));
    const ours = await readPackageArchive(await packNodePackage(folder));
    expect(theirs.size).toBeGreaterThan(10);
    expect(theirs).toEqual(ours);
  });

  test('packs to the same bytes whenever and wherever it is packed', async () => {
    const copy = join(scratch, 'copy');
    await cp(folder, copy, { recursive: true });
    await utimes(join(copy, 'causeway.json'), new Date(0), new Date(0));
    expect((await packNodePackage(copy)).equals(await packNodePackage(folder))).toBe(true);
  });
});

test('packing refuses symbolic links and files that are missing', async () => {
  const linked = join(scratch, 'linked');
  await cp(folder, linked, { recursive: true });
  await symlink('/etc/passwd', join(linked, 'nodes', 'passwd.ts'));
  await expect(packNodePackage(linked)).rejects.toThrow(/nodes\/passwd\.ts is a symbolic link/);
  await rm(join(linked, 'nodes', 'passwd.ts'));
  await rm(join(linked, 'causeway.json'));
  await expect(packNodePackage(linked)).rejects.toThrow(/causeway\.json/);
});

test('packing includes bundled dependencies and, without a list of files, everything but tests and hidden files', async () => {
  const bundled = join(scratch, 'bundled');
  await cp(folder, bundled, { recursive: true });
  await cp(join(folder, 'nodes'), join(bundled, 'node_modules', 'dep'), { recursive: true });
  await cp(join(folder, 'nodes'), join(bundled, 'node_modules', 'other'), { recursive: true });
  await writeFile(join(bundled, '.env'), 'SECRET=1');
  const json = { name: 'a', version: '1.0.0', causeway: 'causeway.json', bundledDependencies: ['dep'] };
  await writeFile(join(bundled, 'package.json'), JSON.stringify(json));
  const paths = [...(await readPackageArchive(await packNodePackage(bundled))).keys()];
  expect(paths).toContain('node_modules/dep/get-stock.ts');
  expect(paths).toContain('erp/server.ts');
  expect(paths.filter((path) => /^(test\/|\.env|node_modules\/other)/.test(path))).toEqual([]);
});

describe('the example nodes, bundled and run against the ERP', () => {
  const token = 'token-of-the-erp';
  let erp: Erp;
  let createOrder: NodeDefinition;
  let getStock: NodeDefinition;
  let files: Map<string, Buffer>;

  /** Loads a bundle with nothing in reach but the language, as the sandbox does. */
  async function load<T>(entry: string, exported: 'execute' | 'test'): Promise<T> {
    const bundle = await bundleModule(files, entry, exported);
    if (!bundle.ok) throw new Error(JSON.stringify(bundle.errors));
    return runInNewContext(`${bundle.code};__node`) as T;
  }

  beforeAll(async () => {
    files = await readPackageArchive(await packNodePackage(folder));
    createOrder = await load('nodes/create-order.ts', 'execute');
    getStock = await load('nodes/get-stock.ts', 'execute');
  });
  beforeEach(async () => {
    erp = await startErp({ token });
    return () => erp.close();
  });

  const credentials = { credential: { token } };
  const order = {
    number: '10001',
    currency: 'EUR',
    positions: [
      { sku: 'CHAIR-01', quantity: '2.000', unit_price: '49.90' },
      { sku: 'DESK-01', quantity: '1', unit_price: '349.00', tax_included: true },
    ],
  };

  test('an order arrives mapped and once, however often it is sent', async () => {
    const options = {
      config: { base_url: `${erp.url}/`, order, credential: 7 },
      credentials,
      idempotencyKey: 'run-1/a',
    };
    const first = await runNode(createOrder, options);
    const again = await runNode(createOrder, options);
    expect(first).toMatchObject({ branch: 'default', outputs: { erp_number: 'ERP-000001', status: 'open' } });
    expect(first.logs).toEqual([{ level: 'info', message: 'Order 10001 is ERP-000001 in the ERP.' }]);
    expect(again.outputs).toEqual(first.outputs);
    expect(erp.receipts).toEqual([
      {
        at: expect.any(String),
        idempotencyKey: 'run-1/a',
        erpNumber: 'ERP-000001',
        times: 2,
        order: {
          externalNumber: '10001',
          currency: 'EUR',
          lines: [
            { line: 10, article: 'CHAIR-01', quantity: '2.000', price: '49.90', warehouse: 'MAIN' },
            { line: 20, article: 'DESK-01', quantity: '1', price: '349.00', taxIncluded: true, warehouse: 'MAIN' },
          ],
        },
        acknowledged: null,
      },
    ]);
  });

  test('a refusal of the ERP fails the node with a code', async () => {
    const run = runNode(createOrder, { config: { base_url: erp.url, order } });
    await expect(run).rejects.toMatchObject({ code: 'ERP_REFUSED', message: expect.stringContaining('401') });
    expect(erp.receipts).toEqual([]);
  });

  test('stock is read, and an unknown article takes its own branch', async () => {
    const readStock = (sku: string): ReturnType<typeof runNode> =>
      runNode(getStock, { config: { base_url: erp.url, article: sku, credential: 7 }, credentials });
    expect(await readStock('DESK-01')).toMatchObject({ branch: 'default', outputs: { sku: 'DESK-01', on_hand: '12' } });
    expect(await readStock('no/such')).toMatchObject({ branch: 'unknown', outputs: { sku: 'no/such', on_hand: '0' } });
  });

  test('a config of the first version of get-stock is migrated, and one of this version stays as it is', async () => {
    const first = { base_url: erp.url, sku: '{{ trigger.payload.sku }}', credential: 7 };
    const second = { base_url: erp.url, article: '{{ trigger.payload.sku }}', credential: 7 };
    expect(await migrateConfig(getStock, first, '1.0.0')).toEqual(second);
    expect(await migrateConfig(getStock, second, '2.0.0')).toEqual(second);
    await expect(migrateConfig(createOrder, {}, '1.0.0')).rejects.toThrow(/does not export a function "migrate"/);
  });

  test("the credential type's test distinguishes a valid token from an invalid one", async () => {
    const type = await load<Parameters<typeof runCredentialTest>[0]>('credentials/api.ts', 'test');
    const outcome = (secret: string): ReturnType<typeof runCredentialTest> =>
      runCredentialTest(type, { config: { base_url: erp.url, token: secret } });
    expect(await outcome(token)).toEqual({ ok: true, message: 'The ERP accepts the token.' });
    expect(await outcome('wrong')).toEqual({ ok: false, message: 'The ERP answered 401.' });
  });

  test('the stand-in shows receipts and orders and refuses a body that is not an order', async () => {
    const headers = { authorization: `Bearer ${token}` };
    const post = (body: string): Promise<Response> => fetch(`${erp.url}/orders`, { method: 'POST', headers, body });
    expect((await post('{"externalNumber":"1","lines":[{"article":"a","quantity":"1"}]}')).status).toBe(201);
    expect((await post('{"externalNumber":"1","lines":[]}')).status).toBe(422);
    expect((await post('null')).status).toBe(422);
    expect((await post('{')).status).toBe(400);
    const found = await fetch(`${erp.url}/orders/ERP-000001`, { headers });
    expect(await found.json()).toMatchObject({ externalNumber: '1', erpNumber: 'ERP-000001' });
    const receipts = await fetch(`${erp.url}/receipts`, { headers });
    expect(await receipts.json()).toMatchObject({ receipts: [{ erpNumber: 'ERP-000001', times: 1 }] });
  });

  test('the stand-in’s numbers continue after a restart if a file stores the last one', async () => {
    const numberAfter = async (options: { numbersFile?: string }) => {
      const restarted = await startErp(options);
      const { outputs } = await runNode(createOrder, { config: { base_url: restarted.url, order } });
      await restarted.close();
      return outputs['erp_number'];
    };
    const kept = { numbersFile: join(scratch, 'numbers') };
    expect([await numberAfter(kept), await numberAfter(kept)]).toEqual(['ERP-000001', 'ERP-000002']);
    expect([await numberAfter({}), await numberAfter({})]).toEqual(['ERP-000001', 'ERP-000001']);
  });

  test('the stand-in acknowledges an order at its platform, and retries if that was away', async () => {
    const keyFile = join(scratch, 'key');
    await writeFile(keyFile, 'cw_key\n');
    const asked: unknown[] = [];
    const answers = [503, 200];
    const platform = createServer((request, response) => {
      const { 'x-platform-api-key': key, 'x-platform-tenant': tenant } = request.headers;
      void text(request).then((body) => {
        asked.push([request.method, request.url, key, tenant, body]);
        response.writeHead(answers[asked.length - 1] ?? 500).end();
      });
    });
    await new Promise<void>((resolve) => void platform.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(platform.address() as AddressInfo).port}`;
    const acknowledging = await startErp({ platform: { url, tenant: 'demo', keyFile } });
    try {
      const config = { base_url: acknowledging.url, order: { ...order, id: 7, customer_order_number: null } };
      await runNode(createOrder, { config });
      await runNode(createOrder, { config: { base_url: acknowledging.url, order } });
      await vi.waitFor(() => expect(acknowledging.receipts[0]?.acknowledged).toBe('200'), 20_000);
      const body = '{"erp_number":"ERP-000001"}';
      const once = ['POST', '/v1/orders/7/acknowledge', 'cw_key', 'demo', body];
      expect(asked).toEqual([once, once]);
      expect(acknowledging.receipts.map(({ order: { platformId } }) => platformId)).toEqual([7, undefined]);
    } finally {
      await acknowledging.close();
      platform.close();
    }
  });
});
