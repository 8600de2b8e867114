import { describe, expect } from 'vitest';
import { makeCredential, registerTemplates, templateIn } from '#test/automation/templates/templates.ts';
import { test } from '#test/setup/app-test.ts';
import { call } from './rest.ts';

test.beforeAll(async ({ api }) => {
  await registerTemplates(api, templateIn('1.0.0'));
});

const signed = expect.stringMatching(/\/api\/v1\/node-packages\/images\/\d+\?expires=\d+&signature=[\w-]+$/);
const row = {
  slug: 'shop:to-erp',
  version: '1.0.0',
  name: 'To the ERP 1.0.0',
  description: 'Sends orders on.',
  icon: signed,
  images: [{ src: signed, alt: { en: 'Logo' }, title: {}, category: 'logo' }],
  placeholders: [
    { key: 'url', kind: 'value', label: 'Address', help: null, required: true, default: null, credential_types: [] },
    { key: 'limit', kind: 'value', label: 'limit', help: null, required: false, default: 5, credential_types: [] },
    {
      key: 'token',
      kind: 'credential',
      label: 'token',
      help: null,
      required: true,
      default: null,
      credential_types: ['core:bearer', 'core:basic'],
    },
    {
      key: 'spare',
      kind: 'credential',
      label: 'spare',
      help: 'Rarely needed.',
      required: false,
      default: null,
      credential_types: ['core:basic'],
    },
  ],
  package: { name: 'shop', version: '1.0.0', label: 'Shop' },
};
const anybody = { tenant: null, roles: [] };
const path = '/templates/shop:to-erp';

describe('templates over REST', () => {
  test('are listed without their blobs and shown with them', async ({ api }) => {
    const list = await call(api, 'GET', '/templates', { as: anybody });
    expect(list.status).toBe(200);
    // Those of the product come first, by their slugs.
    const listed = list.body['data'] as unknown as { slug: string }[];
    expect(listed.filter(({ slug }) => slug.startsWith('shop:'))).toEqual([row]);
    const shown = await call(api, 'GET', path, { as: anybody });
    expect([shown.status, shown.body]).toEqual([200, { ...row, blob: templateIn('1.0.0').blob }]);
  });

  test('answer 404 to an unknown slug', async ({ api }) => {
    for (const [method, url] of [
      ['GET', '/templates/shop:nothing'],
      ['POST', '/templates/shop:nothing/instantiate'],
    ] as const) {
      const answer = await call(api, method, url, method === 'POST' ? { body: { name: 'x' } } : {});
      expect([answer.status, answer.body]).toEqual([404, { message: 'Not found.' }]);
    }
  });

  test('become workflows with 201', async ({ api }) => {
    const token = await makeCredential(api, 'acme-shop', 'core:bearer');
    const body = { name: 'Orders', credentials: { token }, values: { url: 'https://erp.example.com' } };
    const made = await call(api, 'POST', `${path}/instantiate`, { body });
    expect(made.status).toBe(201);
    const found = await call(api, 'GET', `/workflows/${made.body['id']}`);
    expect(made.body).toEqual(found.body);
    expect(made.body).toMatchObject({ tenant_id: 'acme-shop', name: 'Orders', revision: 1, active: true });
  });

  test('answer 422 with every placeholder at fault', async ({ api }) => {
    const missing = await call(api, 'POST', `${path}/instantiate`, { body: { name: 'Open' } });
    expect([missing.status, missing.body]).toEqual([
      422,
      {
        message: 'The given data was invalid.',
        errors: { 'values.url': [expect.any(String)], 'credentials.token': [expect.any(String)] },
      },
    ]);
    const cases: [object, string][] = [
      [{ credentials: { token: 1.5 } }, 'credentials.token'],
      [{ credentials: [1] }, 'credentials'],
      [{ values: 'x' }, 'values'],
      [{ name: '' }, 'name'],
    ];
    for (const [body, field] of cases) {
      const answer = await call(api, 'POST', `${path}/instantiate`, { body: { name: 'Open', ...body } });
      expect([answer.status, Object.keys(answer.body['errors'] ?? {})]).toEqual([422, [field]]);
    }
  });
});
