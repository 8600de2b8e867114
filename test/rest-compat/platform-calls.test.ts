import { readdir, readFile } from 'node:fs/promises';
import { expect } from 'vitest';
import { createOrder } from '#src/commerce/order-placement/order-placement.service.ts';
import { acknowledgeOrder } from '#src/commerce/orders/order-actions.service.ts';
import { demoOrder } from '#src/demo/demo-shop.ts';
import { demoOrg, demoTenant } from '#src/demo/demo-workflow.ts';
import { seedShop } from '#src/demo/seed-shop.ts';
import { commerce } from '#src/domains/commerce.ts';
import { imports } from '#src/domains/imports.ts';
import { createOrg, createTenant } from '#src/identity/tenants.service.ts';
import { systemActor } from '#src/infra/deps.ts';
import { atSigned, ended, startImportWorker } from '#test/imports/import-file.ts';
import { test } from '#test/setup/app-test.ts';
import { callPlatform } from './rest.ts';

const readPage = async (path: string) => readFile(new URL(`../../docs/${path}`, import.meta.url), 'utf8');
const [, section = ''] = (await readPage('platform.md')).split('\n## Every call\n');
/** The pages that the section lists, in its order, and then the section itself. */
const listed = [...section.matchAll(/^\| \[\w+\]\((platform\/\w+\.md)\) \|/gm)].map(([, path = '']) => path);
const shown = [...(await Promise.all(listed.map(readPage))), section];
const calls = [...shown.join('\n').matchAll(/^```sh\n(curl[^]*?)^```\n\n```(?:json|csv) (\d+)\n([^]*?)^```$/gm)].map(
  ([, command = '', status, answer = '']) => {
    const [, method = 'GET', path = '', link = ''] = /^curl (?:-X (\w+) )?"\$(?:V1(\S+)|(\w+))"/.exec(command) ?? [];
    const [, body] = /(?:-d|--data-binary) '([^']*)'/.exec(command) ?? [];
    return { method, path, link: link.toLowerCase(), body, status: Number(status), answer };
  },
);

/** The paths that are called by a link of an answer, by the link's name. */
const linked: Record<string, string> = {
  url: '/io/uploads/{}/{}',
  rejects_url: '/io/rejects/{}/{}',
  download_url: '/io/exports/{}/{}',
};

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const signed = /^http:\/\/localhost(:\d+)?\/v1\/io\/\w+\/demo\/\d+\?/;

/** The response that the page shows; ids and times are those of the shop it was written with. */
const said = (answer: string) =>
  JSON.parse(answer, (name, value: unknown) => {
    if (typeof value === 'number' && /^(.+_)?id$/.test(name)) return expect.any(Number);
    const varying = [/^\d{4}-\d\d-\d\dT/, uuid, signed].find((form) => typeof value === 'string' && form.test(value));
    return varying ? expect.stringMatching(varying) : value;
  }) as object;

test.beforeAll(async ({ api }) => {
  await createOrg(api.database, demoOrg);
  await createTenant(api.database, demoOrg.id, demoTenant);
  await seedShop(api.deps);
  const erp = systemActor(demoOrg.id, demoTenant.id);
  const { customer, ...order } = demoOrder;
  const buyer = await api.database.withTenant('demo', (tx) =>
    tx.organization.findFirstOrThrow({ where: { customerNumber: customer } }),
  );
  for (const erpNumber of ['ERP-000001', 'ERP-000002']) {
    const { id } = await createOrder({ ...api.deps, ...api.services.commerce }, erp, {
      ...order,
      organizationId: buyer.id,
    });
    await acknowledgeOrder(api.deps, erp, BigInt(id), { erpNumber });
  }
  await startImportWorker(api);
});

test('the section lists every page of calls', async () => {
  const files = await readdir(new URL('../../docs/platform', import.meta.url));
  expect(listed.toSorted()).toEqual(files.map((file) => `platform/${file}`).toSorted());
});

test('every call of the pages gets the shown response, after two orders of the demo', async ({ api }) => {
  const key = await api.apiKey(['*'], 'demo');
  expect(calls.length).toBeGreaterThan(20);
  const links: Record<string, unknown> = {};
  for (const { method, path, link, body, status, answer } of calls) {
    if (link !== '') {
      const found = await atSigned(api, method as 'GET', String(links[link]), body);
      expect([link, found.statusCode, found.payload]).toEqual([link, status, answer.replace(/^\{\}\n$/, '')]);
      continue;
    }
    const found = await callPlatform(api, method, path, { key, tenant: 'demo', ...(body !== undefined && { body }) });
    expect([method, path, found.status]).toEqual([method, path, status]);
    expect(found.body).toMatchObject(
      method === 'GET' && path === '/openapi.json' ? { openapi: '3.1.0' } : said(answer),
    );
    if (status === 202 && path.startsWith('/io/')) await ended(api, Number(found.body['id']), 'demo');
    for (const name of Object.keys(linked)) links[name] = found.body[name] ?? links[name];
  }
});

test('the pages have a call for each resource’s routes', async () => {
  const called = new Set(
    calls.map(({ method, path, link }) => {
      const named = linked[link] ?? path.replace(/\?.*/, '').replace(/\/(\d+|DESK-02)\b/, '/{}');
      return `${method} ${named}`;
    }),
  );
  const rows = [await commerce.routes?.(), await imports.routes?.()].flatMap((of) => of?.['platform'] ?? []);
  const routes = rows.map((row) => `${String(row.method)} ${row.path.replaceAll(/\{\w+\}/g, '{}')}`);
  expect(routes.filter((route) => !called.has(route))).toEqual([]);
  expect(called).toContain('GET /openapi.json');
});
