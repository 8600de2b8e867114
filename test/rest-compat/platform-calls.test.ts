import { readFile } from 'node:fs/promises';
import { expect } from 'vitest';
import { demoOrder } from '#examples/demo/demo-shop.ts';
import { demoOrg, demoTenant } from '#examples/demo/demo-workflow.ts';
import { seedShop } from '#examples/demo/seed-shop.ts';
import { commerceRoutes } from '#rest/commerce/commerce.routes.ts';
import { acknowledgeOrder } from '#src/commerce/orders/order-actions.service.ts';
import { createOrder } from '#src/commerce/orders/placement.service.ts';
import { createOrg, createTenant } from '#src/identity/tenants.service.ts';
import { systemActor } from '#src/infra/deps.ts';
import { test } from '#test/setup/app-test.ts';
import { callPlatform } from './rest.ts';

const page = await readFile(new URL('../../docs/platform.md', import.meta.url), 'utf8');
const [, section = ''] = page.split('\n## Every call\n');
const calls = [...section.matchAll(/^```sh\n(curl[^]*?)^```\n\n```json (\d+)\n([^]*?)^```$/gm)].map(
  ([, command = '', status, answer = '']) => {
    const [, method = 'GET', path = ''] = /^curl (?:-X (\w+) )?"\$V1(\S+)"/.exec(command) ?? [];
    const [, body] = /-d '([^']*)'/.exec(command) ?? [];
    return { method, path, body, status: Number(status), answer };
  },
);

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** What the page says is answered: ids and times are those of the shop it was written with. */
const said = (answer: string) =>
  JSON.parse(answer, (name, value: unknown) => {
    if (typeof value === 'number' && /^(.+_)?id$/.test(name)) return expect.any(Number);
    const varying = [/^\d{4}-\d\d-\d\dT/, uuid].find((form) => typeof value === 'string' && form.test(value));
    return varying ? expect.stringMatching(varying) : value;
  }) as object;

test('every call of the page is answered as it says, after two orders of the demo', async ({ api }) => {
  await createOrg(api.database, demoOrg);
  await createTenant(api.database, demoOrg.id, demoTenant);
  await seedShop(api.deps);
  const erp = systemActor(demoOrg.id, demoTenant.id);
  const { customer, ...order } = demoOrder;
  const buyer = await api.database.withTenant('demo', (tx) =>
    tx.organization.findFirstOrThrow({ where: { customerNumber: customer } }),
  );
  for (const erpNumber of ['ERP-000001', 'ERP-000002']) {
    const { id } = await createOrder({ ...api.deps, ...api.opened.commerce }, erp, {
      ...order,
      organizationId: buyer.id,
    });
    await acknowledgeOrder(api.deps, erp, BigInt(id), { erpNumber });
  }
  const key = await api.apiKey(['*'], 'demo');
  expect(calls.length).toBeGreaterThan(20);
  for (const { method, path, body, status, answer } of calls) {
    const found = await callPlatform(api, method, path, { key, tenant: 'demo', ...(body !== undefined && { body }) });
    expect([method, path, found.status]).toEqual([method, path, status]);
    expect(found.body).toMatchObject(
      method === 'GET' && path === '/openapi.json' ? { openapi: '3.1.0' } : said(answer),
    );
  }
});

test('the page has a call of each resource’s routes', () => {
  const shown = new Set(
    calls.map(({ method, path }) => `${method} ${path.replace(/\?.*/, '').replace(/\/(\d+|DESK-02)\b/, '/{}')}`),
  );
  const routes = commerceRoutes.map((row) => `${String(row.method)} ${row.path.replace(/\{\w+\}/, '{}')}`);
  expect(routes.filter((route) => !shown.has(route))).toEqual([]);
  expect(shown).toContain('GET /openapi.json');
});
