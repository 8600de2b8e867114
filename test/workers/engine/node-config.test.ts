import { describe, expect } from 'vitest';
import { registerNodePackage } from '#src/automation/packages/node-packages.service.ts';
import { buildWorkflow } from '#src/automation/workflows/bundles.service.ts';
import { packageArchive } from '#test/automation/packages/package-archive.ts';
import { call } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { fireRun, node, untilRun } from '#test/setup/engine.ts';

const archive = packageArchive({
  name: 'greeting-nodes',
  namespace: 'greeting',
  nodes: [
    {
      name: 'greet',
      version: '1.0.0',
      manifest: {
        config: [
          { key: 'name', type: 'string', label: 'Name', required: true },
          { key: 'tone', type: 'select', options: [{ value: 'warm' }, { value: 'cool' }], default: 'warm' },
          { key: 'times', type: 'number', default: 1 },
          { key: 'guests', type: 'list' },
        ],
      },
      code: 'export const execute = ({ config }) => ({ outputs: config });',
    },
    {
      name: 'order',
      version: '1.0.0',
      manifest: {
        config: [
          {
            key: 'body',
            type: 'object',
            label: 'Order',
            fields: [
              { key: 'number', type: 'string', required: true },
              {
                key: 'line-items',
                type: 'list',
                items: {
                  key: 'item',
                  type: 'object',
                  fields: [
                    { key: 'sku', type: 'string', required: true },
                    { key: 'quantity', type: 'number', format: 'integer' },
                    { key: 'tags', type: 'list', items: { key: 'tag', type: 'string' } },
                  ],
                },
              },
            ],
          },
        ],
      },
      code: 'export const execute = ({ config }) => ({ outputs: config });',
    },
    {
      name: 'part',
      version: '1.0.0',
      manifest: {},
      code: `export const execute = () => ({ branch: 'fare\\0well' });`,
    },
  ],
});

let api: TestApp;
test.beforeAll(async ({ api: started, startEngine }) => {
  api = started;
  await registerNodePackage(api.deps, { orgId: 'acme', archive });
  await startEngine();
});

const greet = (config: object) => ({ id: 'greet', node: 'greeting:greet', version: '^1.0.0', config });

let counter = 0;
async function make(nodes: object[]) {
  counter += 1;
  const blob = { version: 'v1', nodes, edges: [] };
  const made = await call(api, 'POST', '/workflows', { body: { name: `Workflow ${counter}`, blob } });
  expect(made.status).toBe(201);
  const workflowId = Number(made.body['id']);
  await buildWorkflow(api.deps, { tenantId: 'acme-shop', workflowId });
  const { body } = await call(api, 'GET', `/workflows/${workflowId}`);
  return { workflowId, bundle: body['bundle'] as unknown as { status: string; error: string | null } };
}

async function run(nodes: object[], payload: object = {}) {
  const { workflowId, bundle } = await make(nodes);
  expect(bundle).toMatchObject({ status: 'ready', error: null });
  const body = { type: 'webhook', name: 'Fire' };
  const trigger = await call(api, 'POST', `/workflows/${workflowId}/triggers`, { body });
  const runId = await fireRun(api, { tenantId: 'acme-shop', handle: String(trigger.body['handle']) }, payload);
  return untilRun(api, runId);
}

describe('the config of a package’s node', () => {
  test('has the defaults of absent or empty fields', async () => {
    const done = await run([greet({ name: 'Ada', tone: '' })]);
    expect(done.steps).toMatchObject([{ outputs: { name: 'Ada', tone: 'warm', times: 1 } }]);
  });

  test('is checked within objects and lists when it is built', async () => {
    const order = { id: 'order', node: 'greeting:order', version: '^1.0.0' };
    const body = { 'line-items': [{ sku: 'CHAIR-01', quantity: '{{ 1 + 1 }}' }, { quantity: 1.5 }] };
    const { bundle } = await make([{ ...order, config: { body } }]);
    expect(bundle).toMatchObject({
      status: 'failed',
      error:
        'order: The field "Order › number" is required. The field "Order › line-items › 2 › sku" is required. The field "Order › line-items › 2 › quantity" must be a whole number.',
    });
  });

  test('is checked within objects and lists once its expressions are evaluated, and one match is a list of one', async () => {
    const order = { id: 'order', node: 'greeting:order', version: '^1.0.0' };
    const items = '{{ trigger.payload.lines.{"sku": article, "quantity": count, "tags": tags} }}';
    const nodes = [{ ...order, config: { body: { number: '{{ trigger.payload.number }}', 'line-items': items } } }];
    const one = { number: 'A-1', lines: [{ article: 'CHAIR-01', count: 2, tags: 'new' }] };
    expect((await run(nodes, one)).steps).toMatchObject([
      { outputs: { body: { number: 'A-1', 'line-items': [{ sku: 'CHAIR-01', quantity: 2, tags: ['new'] }] } } },
    ]);
    const wrong = { number: 'A-2', lines: [{ article: 'CHAIR-01', count: 2.5 }, { count: 1 }] };
    expect((await run(nodes, wrong)).steps).toMatchObject([
      {
        status: 'failed',
        error: {
          code: 'INVALID_CONFIG',
          message:
            'config.body.line-items.0.quantity: The field "Order › line-items › 1 › quantity" must be a whole number. config.body.line-items.1.sku: The field "Order › line-items › 2 › sku" is required.',
        },
      },
    ]);
  });

  test('has the defaults inside a loop as well', async () => {
    const body = { nodes: [greet({ name: '{{ item }}', times: 2 })], edges: [] };
    const done = await run([node('each', 'for-each', { items: ['Ada', 'Grace'], body })]);
    const outputs = done.steps.filter(({ path }) => path.endsWith('greet')).map((step) => step.outputs);
    expect(outputs).toEqual(['Ada', 'Grace'].map((name) => ({ name, tone: 'warm', times: 2 })));
  });

  test('that is invalid is kept as a draft, and its build reports every error', async () => {
    const { bundle } = await make([greet({ tone: 'loud', times: '2' })]);
    expect(bundle).toMatchObject({
      status: 'failed',
      error:
        'greet: The field "Name" is required. The field "tone" must be one of "warm", "cool". The field "times" must be a number.',
    });
  });

  test('fails the step if an expression yields no value for a required field', async () => {
    const done = await run([greet({ name: '{{ trigger.payload.nobody }}' })]);
    expect(done.steps).toMatchObject([
      { status: 'failed', error: { code: 'INVALID_CONFIG', message: expect.stringContaining('config.name') } },
    ]);
  });

  test.each([
    ['one match', { guests: '{{ trigger.payload.lines[qty > 1].sku }}' }, { guests: ['B'] }],
    ['no match', { guests: '{{ trigger.payload.lines[qty > 5].sku }}' }, { guests: [] }],
    ['null', { guests: '{{ trigger.payload.nobody }}' }, { guests: [] }],
    ['a list', { guests: '{{ trigger.payload.lines.sku }}' }, { guests: ['A', 'B'] }],
    ['an expression that yields one in every run', { guests: '{{ ["A", "B"][0] }}' }, { guests: ['A'] }],
    ['no field', {}, {}],
  ])('holds a list in a list field: from %s', async (_, config, found) => {
    const lines = [
      { sku: 'A', qty: 1 },
      { sku: 'B', qty: 2 },
    ];
    const done = await run([greet({ name: 'Ada', ...config })], { lines, nobody: null });
    expect(done.steps).toEqual([
      expect.objectContaining({ outputs: { name: 'Ada', tone: 'warm', times: 1, ...found } }),
    ]);
  });

  test('refuses text where a list belongs, such as a path without braces', async () => {
    const { bundle } = await make([greet({ name: 'Ada', guests: 'trigger.payload.lines' })]);
    expect(bundle.error).toContain('must be a list, or an expression in {{ }}');
    const filter = node('kept', 'filter', { items: 'trigger.payload.lines', condition: true });
    expect((await make([filter])).bundle.error).toContain('config.items: must be a list, or an expression in {{ }}.');
  });

  test('is also checked and completed in a test of the node', async () => {
    const path = '/nodes/greeting:greet/1.0.0/execute:test';
    const refused = await call(api, 'POST', path, { body: { config: { times: '2' } } });
    expect(refused.status).toBe(422);
    expect(refused.body['errors']).toEqual({
      'config.name': ['The field "Name" is required.'],
      'config.times': ['The field "times" must be a number.'],
    });
    const nothing = await call(api, 'POST', path, { body: { config: { name: '{{ trigger.payload.nobody }}' } } });
    expect(nothing.status).toBe(422);
    expect(nothing.text).toContain('INVALID_CONFIG');
    const config = { tone: 'cool', guests: '{{ [1, 2][$ > 1] }}' };
    const passed = await call(api, 'POST', path, { body: { config, inputs: { name: 'Ada' } } });
    expect(passed.body['outputs']).toEqual({ name: 'Ada', tone: 'cool', times: 1, guests: [2] });
  });
});

test('a branch that cannot be stored fails the step', async () => {
  const done = await run([{ id: 'part', node: 'greeting:part', version: '^1.0.0', config: {} }]);
  expect(done.steps).toMatchObject([
    {
      status: 'failed',
      error: { code: 'VALIDATION_FAILED', message: 'branch: Text must not hold NUL characters or lone surrogates.' },
    },
  ]);
});

describe('a list of one or none', () => {
  const item = { id: 'line', node: 'core:set', version: '1.0.0', config: { values: { sku: '{{ item.sku }}' } } };
  const lines = (from: string) => `{{ trigger.payload.lines[qty > ${from}] }}`;
  const payload = {
    lines: [
      { sku: 'A', qty: 1 },
      { sku: 'B', qty: 2 },
    ],
  };

  test.each([
    ['one', '1', [{ line: { sku: 'B' } }]],
    ['none', '2', []],
  ])('is looped over and filtered: %s', async (_, from, results) => {
    const done = await run(
      [
        node('each', 'for-each', { items: lines(from), body: { nodes: [item], edges: [] } }),
        node('kept', 'filter', { items: lines(from), condition: true }),
      ],
      payload,
    );
    const [each, kept] = ['each', 'kept'].map((path) => done.steps.find((step) => step.path === path)?.outputs);
    expect(each).toEqual({ results });
    expect(kept).toEqual({ items: payload.lines.filter(({ qty }) => qty > Number(from)) });
  });

  test('is filtered in a test of the node', async () => {
    const path = '/nodes/core:filter/1.0.0/execute:test';
    for (const [items, kept] of [
      ['{{ [1, 2][$ > 1] }}', [2]],
      ['{{ [1, 2][$ > 2] }}', []],
    ]) {
      const passed = await call(api, 'POST', path, { body: { config: { items, condition: true } } });
      expect(passed.body['outputs']).toEqual({ items: kept });
    }
  });
});
