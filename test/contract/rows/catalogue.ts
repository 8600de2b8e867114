import { z } from 'zod';
import { invalid, type MakeAsk, notFound, areaRows, sizeLimits } from '#test/contract/contract-row.ts';
import * as shapes from '#test/contract/shapes.ts';

const orderToErp = { slug: 'erp:order-to-erp' };

export const templateRows = areaRows('Templates', [
  {
    method: 'GET',
    path: '/templates',
    who: 'authenticated',
    answers: { status: 200, body: shapes.data(shapes.template) },
  },
  {
    method: 'GET',
    path: '/templates/{slug}',
    who: 'authenticated',
    ask: () => ({ params: orderToErp }),
    answers: { status: 200, body: shapes.template.extend({ blob: z.looseObject({}) }) },
    refuses: [{ when: 'there is none', ask: () => ({ params: { slug: 'erp:none' } }), status: 404, body: notFound }],
  },
  {
    method: 'POST',
    path: '/templates/{slug}/instantiate',
    who: 'admin',
    ask: async (world) => ({
      params: orderToErp,
      body: { name: world.name('From template'), ...(await filling(world)) },
    }),
    answers: { status: 201, body: shapes.workflow },
    refuses: [
      {
        when: 'placeholders are open',
        ask: ({ name }) => ({ params: orderToErp, body: { name: name('Open') } }),
        status: 422,
        body: { message: 'The given data was invalid.' },
      },
      {
        when: 'there is no such template',
        ask: ({ name }) => ({ params: { slug: 'erp:none' }, body: { name: name('None') } }),
        status: 404,
        body: notFound,
      },
    ],
  },
]);

/** Whatever the template asks for, by its own declaration. */
const filling = async ({ rest, name }: Parameters<MakeAsk>[0]) => {
  const { body } = await rest('GET', `/templates/${orderToErp.slug}`);
  const placeholders = body['placeholders'] as unknown as { key: string; kind: string; default?: unknown }[];
  const { body: made } = await rest('POST', '/credentials', {
    body: {
      credential_type_slug: 'erp:api',
      name: name('For template'),
      config: { base_url: 'http://erp.example.com', token: 'template-token' },
    },
  });
  const of = (kind: string, value: unknown) =>
    Object.fromEntries(
      placeholders.filter((each) => each.kind === kind).map(({ key, default: byDefault }) => [key, byDefault ?? value]),
    );
  return { credentials: of('credential', made['id']), values: of('value', 'http://erp.example.com') };
};

const schemas = ['workflow-blob/v1', 'node-manifest/v0-draft', 'credential-type/v1'];

export const schemaRows = areaRows('Schemas', [
  {
    method: 'GET',
    path: '/schemas',
    who: 'anyone',
    answers: { status: 200, body: shapes.data(z.strictObject({ name: z.string(), version: z.string() })) },
  },
  ...schemas.map((each) => {
    const [name = '', version = ''] = each.split('/');
    return {
      method: 'GET' as const,
      path: '/schemas/{name}/{version}',
      who: 'anyone' as const,
      ask: () => ({ params: { name, version } }),
      answers: {
        status: 200,
        body: z.looseObject({ $schema: z.literal('https://json-schema.org/draft/2020-12/schema') }),
      },
      refuses: [
        { when: 'there is none', ask: () => ({ params: { name, version: 'v99' } }), status: 404, body: notFound },
      ],
    };
  }),
]);

export const auditRows = areaRows('Audit Log', [
  {
    method: 'GET',
    path: '/audit-logs',
    who: 'admin',
    ask: () => ({ query: 'sub=test-admin&resource_type=credential&action=create&limit=2' }),
    answers: { status: 200, body: shapes.cursorPage(shapes.auditEntry) },
    refuses: [
      {
        when: 'the cursor was tampered with',
        async ask({ rest }) {
          const { body } = await rest('GET', '/audit-logs?limit=1');
          const { next_cursor: cursor } = body['meta'] as unknown as { next_cursor: string };
          const last = cursor.endsWith('A') ? 'B' : 'A';
          return { query: `limit=1&cursor=${encodeURIComponent(cursor.slice(0, -1) + last)}` };
        },
        status: 422,
        body: { message: 'The given data was invalid.' },
      },
    ],
    limits: sizeLimits(),
  },
  {
    method: 'GET',
    path: '/admin/audit-logs',
    who: 'operator',
    ask: () => ({ query: 'org_id=acme&tenant_id=acme-shop&email=admin%40example.com' }),
    answers: { status: 200, body: shapes.cursorPage(shapes.auditEntry) },
    limits: sizeLimits(),
  },
]);

const days =
  (body: object): MakeAsk =>
  () => ({ body });

export const retentionRows = areaRows('Retention', [
  { method: 'GET', path: '/settings/retention', who: 'user', answers: { status: 200, body: shapes.retention } },
  {
    method: 'PATCH',
    path: '/settings/retention',
    who: 'admin',
    ask: days({ run_days: 30, audit_days: null }),
    answers: { status: 200, body: shapes.retention.extend({ run_days: z.literal(30), audit_days: z.null() }) },
    refuses: [{ when: 'days are text', ask: days({ run_days: '30' }), status: 422, body: invalid('run_days') }],
    limits: [
      { what: 'at least one day', field: 'log_days', edge: days({ log_days: 1 }), past: days({ log_days: 0 }) },
      { what: 'at most 3650 days', field: 'log_days', edge: days({ log_days: 3650 }), past: days({ log_days: 3651 }) },
    ],
  },
]);
