import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { registerBuiltinPackages } from '#src/automation/packages/builtin-packages.service.ts';
import { deleteWorkflow } from '#src/automation/workflows/workflows.service.ts';
import { resolvePrices } from '#src/commerce/prices/price-resolution.service.ts';
import { demoOrder } from '#src/demo/demo-shop.ts';
import { erpKeyFile, keepErpKey } from '#src/demo/erp-key.ts';
import { demoHandle, seedDemo } from '#src/demo/first-start.ts';
import { systemActor } from '#src/infra/deps.ts';
import { callPlatform } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';

const erpUrl = 'http://127.0.0.1:4010';
let api: TestApp;
test.beforeAll(async ({ api: started }) => {
  api = started;
  await registerBuiltinPackages(api.deps);
});

const workflows = () => api.database.withTenant('demo', (tx) => tx.workflow.findMany());

test('nothing is created beside other organisations', async () => {
  expect(await seedDemo(api.deps, { erpUrl })).toBe(false);
  expect(await api.database.global.org.count({ where: { id: 'demo-org' } })).toBe(0);
});

test('an empty database gets the demo once, fired by a webhook and by orders of the shop', async () => {
  await api.database.global.tenant.deleteMany();
  await api.database.global.org.deleteMany();
  expect(await seedDemo(api.deps, { erpUrl })).toBe(true);
  expect(await seedDemo(api.deps, { erpUrl })).toBe(false);
  const [workflow, ...more] = await workflows();
  expect(more).toEqual([]);
  expect(JSON.stringify(workflow?.blob)).toContain(erpUrl);
  expect(await demoHandle(api.deps)).toMatch(/^[0-9a-f-]{36}$/);
  const triggers = await api.database.withTenant('demo', (tx) => tx.trigger.findMany({ orderBy: { type: 'asc' } }));
  expect(triggers.map(({ type }) => type).toSorted()).toEqual(['event', 'webhook']);
});

test('the demo has a shop: products with stock at two locations, three price lists, two customers', async () => {
  const key = await api.apiKey(['*'], 'demo');
  const get = async (path: string) => (await callPlatform(api, 'GET', path, { key, tenant: 'demo' })).body;
  const chairs = await get('/products?attributes.material=birch');
  expect((chairs['items'] as unknown as object[])[0]).toMatchObject({ sku: 'CHAIR-01', tax_rate: '19' });
  expect(await get('/products')).toMatchObject({ total: 10 });
  const stock = await get('/inventories/stock/CHAIR-01');
  expect(stock).toMatchObject({
    reserved: '0',
    reorder_point: '100',
    locations: [{ location: 'main' }, { location: 'store' }],
  });
  const lists = (await get('/prices/lists'))['items'] as unknown as object[];
  expect(lists).toMatchObject([
    { code: 'base' },
    { code: 'bauer', customer: 'C-1001' },
    { code: 'web', channel: 'web' },
  ]);
  expect(await get('/customers/organizations?customer_number=C-1001')).toMatchObject({ items: [{ name: 'Bauer KG' }] });
  expect(await get('/customers/contacts')).toMatchObject({ total: 2 });
  const centres = await api.database.withTenant('demo', (tx) => tx.costCentre.findMany());
  expect(centres.map(({ code }) => code).toSorted()).toEqual(['OFFICE', 'ROOMS']);
});

test('the shop is written in one commit', async () => {
  const rows = await api.database.tenantQuery('demo', {
    text: `SELECT count(DISTINCT xmin::text) AS commits FROM (
      SELECT xmin FROM products UNION ALL SELECT xmin FROM prices UNION ALL SELECT xmin FROM stock_movements
      UNION ALL SELECT xmin FROM contacts) AS written`,
  });
  expect(rows).toEqual([{ commits: 1 }]);
});

test('the demo’s order takes each price from another list of the shop', async () => {
  const resolved = await resolvePrices(api.database, 'demo', {
    items: demoOrder.positions,
    currency: 'EUR',
    channel: 'web',
    customer: 'C-1001',
  });
  expect(resolved.map((found) => found.amount !== null && [found.list, found.amount])).toEqual([
    ['bauer', '115.00'],
    ['web', '339.00'],
    ['base', '59.00'],
  ]);
});

test('the ERP has a key of its own, stored beside the data and replaced when it is lost', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'first-start-'));
  const keep = async () => {
    await keepErpKey({ database: api.database, keyScopes: ['orders:read', 'orders:write'] }, dataDir);
    return readFile(erpKeyFile(dataDir), 'utf8');
  };
  const readStatus = async (key: string) => (await callPlatform(api, 'GET', '/orders', { key, tenant: 'demo' })).status;
  const first = await keep();
  expect(await keep()).toBe(first);
  expect((await stat(erpKeyFile(dataDir))).mode & 0o777).toBe(0o600);
  await rm(erpKeyFile(dataDir));
  const second = await keep();
  expect([await readStatus(first), await readStatus(second)]).toEqual([401, 200]);
  await rm(dataDir, { recursive: true });
});

test('a start that stopped before the workflow is completed by the next', async () => {
  await api.database.withTenant('demo', async (tx) => {
    await tx.trigger.deleteMany();
    await tx.workflow.deleteMany();
    await tx.product.deleteMany({ where: { sku: 'MAT-01' } });
  });
  expect(await seedDemo(api.deps, { erpUrl })).toBe(true);
  expect(await workflows()).toHaveLength(1);
  expect(await api.database.withTenant('demo', (tx) => tx.product.count())).toBe(9);
});

test('a demo that was deleted stays deleted', async () => {
  const [workflow] = await workflows();
  await deleteWorkflow(api.deps, systemActor('demo-org', 'demo'), workflow?.id ?? 0n);
  expect(await seedDemo(api.deps, { erpUrl })).toBe(false);
  expect(await demoHandle(api.deps)).toBeUndefined();
});
