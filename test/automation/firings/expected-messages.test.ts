import { describe, expect } from 'vitest';
import { fire } from '#src/automation/firings/firings.service.ts';
import { findMisfit } from '#src/automation/firings/message-fit.rules.ts';
import { registerNodePackage } from '#src/automation/packages/node-packages.service.ts';
import { systemActor } from '#src/infra/deps.ts';
import { packageFiles, rawArchive } from '#test/automation/packages/archive/raw-tar.ts';
import { call } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { readyWorkflow } from '#test/setup/engine.ts';

let api: TestApp;
test.beforeAll(async ({ api: started }) => {
  api = started;
  await publish('1.0.0', orderSchema);
});

const orderSchema = {
  type: 'object',
  required: ['number'],
  properties: {
    number: { type: 'string' },
    lines: { type: 'array', items: { type: 'object', properties: { sku: { type: 'string' } } } },
  },
};

const archive = (files: Record<string, object>): Buffer =>
  rawArchive(
    ...packageFiles(
      Object.fromEntries(Object.entries(files).map(([path, content]) => [path, JSON.stringify(content)])),
    ),
  );

const publish = (version: string, schema: object) =>
  registerNodePackage(api.deps, {
    orgId: 'acme',
    archive: archive({
      'package.json': { name: 'shop-messages', version, causeway: 'causeway.json' },
      'causeway.json': { namespace: 'shopm', label: 'Shop', messages: ['messages/order.message.json'] },
      'messages/order.message.json': {
        slug: 'shopm:order',
        version,
        name: 'Order placed',
        headers: ['X-Sig'],
        signature_header: 'X-Sig',
        schema,
      },
    }),
  });

async function makeTrigger(message: object) {
  const { workflowId } = await readyWorkflow(api, { nodes: [] });
  const made = await call(api, 'POST', `/workflows/${workflowId}/triggers`, {
    body: { type: 'webhook', name: 'Shop', config: { message } },
  });
  return {
    workflowId,
    made,
    path: `/workflows/${workflowId}/triggers/${made.body['id']}`,
    hook: `/webhooks/${made.body['handle']}`,
  };
}

test('the catalogue lists the messages of packages', async () => {
  const { data } = await api.graphql<{ incomingMessages: object[] }>(
    '{ incomingMessages(search: "ORDER pl") { slug name packageName signatureHeader schema } }',
  );
  expect(data.incomingMessages).toEqual([
    {
      slug: 'shopm:order',
      name: 'Order placed',
      packageName: 'shop-messages',
      signatureHeader: 'X-Sig',
      schema: orderSchema,
    },
  ]);
});

describe('a trigger that expects a message', () => {
  test('starts runs of every body, and warns the sender of one that does not fit', async () => {
    const { hook, made } = await makeTrigger({ slug: 'shopm:order' });
    expect(made.body['config']).toMatchObject({
      message: { slug: 'shopm:order', on_mismatch: 'accept', version: '1.0.0', schema: orderSchema },
    });
    const fit = await call(api, 'POST', hook, { body: { number: 'A1', more: true } });
    expect([fit.status, fit.body['warning']]).toEqual([202, undefined]);
    const misfit = await call(api, 'POST', hook, { body: { number: 1 } });
    expect([misfit.status, misfit.body['warning']]).toEqual([
      202,
      'The body does not fit the message shopm:order: body.number must be string.',
    ]);
  });

  test('refuses a body that does not fit, if it is set to, and stores nothing', async () => {
    const { hook, workflowId } = await makeTrigger({ slug: 'shopm:order', on_mismatch: 'refuse' });
    expect((await call(api, 'POST', hook, { body: { number: 'A1' } })).status).toBe(202);
    const refused = await call(api, 'POST', hook, { body: { lines: [] } });
    expect(refused.status).toBe(422);
    expect(JSON.stringify(refused.body)).toContain('body needs the member');
    const [kept] = await api.database.tenantQuery<{ runs: number; letters: number }>('acme-shop', {
      text: `SELECT (SELECT count(*)::int FROM runs WHERE workflow_id = $1) AS runs,
        (SELECT count(*)::int FROM dead_letters WHERE workflow_id = $1) AS letters`,
      values: [workflowId],
    });
    expect(kept).toEqual({ runs: 1, letters: 0 });
  });

  test('keeps a refused body as a dead letter if its sender has its answer already', async () => {
    const { made } = await makeTrigger({ slug: 'shopm:order', on_mismatch: 'refuse' });
    const fired = await fire(api.deps, {
      actor: systemActor('acme', 'acme-shop'),
      handle: String(made.body['handle']),
      type: 'webhook',
      payload: { body: null },
      capture: true,
    });
    expect(fired).toMatchObject({
      outcome: 'dead_letter',
      reason: 'The body does not fit the message shopm:order: body must be object.',
    });
  });

  test('is refused if no package has the message', async () => {
    const { made } = await makeTrigger({ slug: 'shopm:none' });
    expect(made.status).toBe(422);
    expect(JSON.stringify(made.body)).toContain('No package has this message');
  });

  test('keeps its schema until it is saved again', async () => {
    const { path } = await makeTrigger({ slug: 'shopm:order' });
    await publish('1.1.0', { type: 'object' });
    const before = await call(api, 'GET', path);
    expect(before.body['config']).toMatchObject({ message: { version: '1.0.0' } });
    const saved = await call(api, 'PATCH', path, { body: { config: before.body['config'] } });
    expect(saved.body['config']).toMatchObject({ message: { version: '1.1.0', schema: { type: 'object' } } });
  });
});

test('the editor offers the members of the message before the first run', async () => {
  const { workflowId } = await readyWorkflow(api, { nodes: [] });
  await api.database.withTenant('acme-shop', (tx) =>
    tx.trigger.create({
      data: {
        tenantId: 'acme-shop',
        workflowId,
        type: 'webhook',
        name: 'Shop',
        config: { message: { slug: 'a:b', schema: orderSchema } },
      },
    }),
  );
  const { data } = await api.graphql<{ expressionScope: { path: string; type: string; isDeclared: boolean }[] }>(
    'query ($id: ID!) { expressionScope(workflowId: $id) { path type isDeclared } }',
    { id: workflowId },
  );
  const described = data.expressionScope.filter(({ path }) => path.startsWith('trigger.payload'));
  expect(described.map(({ path, type }) => `${path} ${type}`)).toEqual([
    'trigger.payload OBJECT',
    'trigger.payload.body OBJECT',
    'trigger.payload.body.lines ARRAY',
    'trigger.payload.body.lines[0] OBJECT',
    'trigger.payload.body.lines[0].sku STRING',
    'trigger.payload.body.number STRING',
    'trigger.payload.query OBJECT',
    'trigger.payload.headers OBJECT',
    'trigger.payload.method STRING',
  ]);
});

test.for<[schema: object, value: unknown, misfit: string | undefined]>([
  [{ type: ['string', 'null'] }, null, undefined],
  [{ type: 'number' }, '9007199254740993', undefined],
  [{ type: 'integer' }, 1.5, 'body must be integer.'],
  [{ enum: ['a', 'b'] }, 'c', 'body is none of the described values.'],
  [
    { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
    [1],
    'body has none of the described shapes.',
  ],
  [{ type: 'array', items: { properties: { a: { type: 'boolean' } } } }, [{}, { a: 1 }], 'body[1].a must be boolean.'],
  [{ required: ['constructor'] }, {}, 'body needs the member "constructor".'],
  [{ type: 'toString', properties: null, items: 5 }, {}, undefined],
])('%j and the body %j: %s', ([schema, value, misfit]) => {
  expect(findMisfit(schema as Record<string, unknown>, value)).toBe(misfit);
});
