import { describe, expect } from 'vitest';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { chain, fireRun, node, readyWorkflow, untilRun } from '#test/setup/engine.ts';

let api: TestApp;
let made: Awaited<ReturnType<typeof readyWorkflow>>;
let runId: number;

const body = {
  nodes: [node('name', 'set', { values: { sku: '{{ item.sku }}' } }), node('send', 'set', { values: {} })],
  edges: chain('name', 'send'),
};
const nodes = [
  node('total-up', 'set', { values: { total: '{{ $sum(trigger.payload.lines.qty) }}' } }),
  node('each', 'for-each', { items: '{{ trigger.payload.lines }}', body }),
  node('ask', 'http-request', { url: 'https://erp.example/{{ nodes.each.outputs.results }}' }),
  node('end', 'set', { values: {} }),
];

test.beforeAll(async ({ api: started, startEngine }) => {
  api = started;
  await api.graphql('mutation { putSecret(input: { key: "PW", value: "correct-horse" }) { __typename } }');
  await startEngine();
  made = await readyWorkflow(api, { nodes: nodes.slice(0, 2), edges: chain('total-up', 'each') });
  runId = await fireRun(api, made, {
    lines: [
      { sku: 'MUG-1', qty: 2 },
      { sku: 'PEN-1', qty: 10 },
    ],
    note: 'x'.repeat(1_000),
  });
  await untilRun(api, runId, 'succeeded');
});

interface Entry {
  path: string;
  type: string | null;
  sample: unknown;
  hasMore: boolean;
  isDeclared: boolean;
}

const query = `query ($workflowId: ID!, $nodeId: String, $runId: ID, $items: [Int!]! = [], $blob: JSON, $draft: Boolean = false) {
  expressionScope(workflowId: $workflowId, nodeId: $nodeId, runId: $runId, items: $items, blob: $blob, draft: $draft) { path name depth type sample hasMore isDeclared }
}`;

const ask = (variables: object, options: object = { roles: ['user'] }) =>
  api.graphql<{ expressionScope: Entry[] | null }>(query, { workflowId: made.workflowId, ...variables }, options);

async function scope(variables: object): Promise<Map<string, Entry>> {
  const { data, errors } = await ask(variables);
  expect(errors).toBeUndefined();
  return new Map(data.expressionScope?.map((entry) => [entry.path, entry]));
}

describe('the scope of a node', () => {
  test('has the values of a run, and of the first item inside a loop', async () => {
    const seen = await scope({ nodeId: 'each/send', runId });
    expect(seen.get('trigger.payload.lines[0].sku')).toMatchObject({ type: 'STRING', sample: 'MUG-1' });
    expect(seen.get('trigger.payload.lines')).toMatchObject({ type: 'ARRAY', sample: null, hasMore: true });
    expect(seen.get('trigger.payload.note')).toMatchObject({ sample: `${'x'.repeat(200)}…`, hasMore: true });
    expect(seen.get('nodes.total-up.outputs.total')).toMatchObject({ type: 'NUMBER', sample: 12 });
    expect(seen.get('nodes.name.outputs.sku')).toMatchObject({ sample: 'MUG-1' });
    expect(seen.get('item.qty')).toMatchObject({ type: 'NUMBER', sample: 2 });
    expect(seen.get('index')).toMatchObject({ sample: 0 });
    expect(seen.get('run.id')).toMatchObject({ sample: runId });
    expect(seen.get('secrets.PW')).toMatchObject({ type: 'STRING', sample: '[redacted]' });
    expect(seen.has('nodes.each.outputs')).toBe(false);
    expect(JSON.stringify([...seen.values()])).not.toContain('correct-horse');
  });

  test('is what its expressions are evaluated with: inside a loop, the first item and what it left', async () => {
    const evaluated = async (node: object) => {
      const { data, errors } = await api.graphql<{ evaluateExpressions: { value: unknown; error: unknown }[] }>(
        'query ($expressions: [String!]!, $scope: ExpressionScope!) { evaluateExpressions(expressions: $expressions, scope: $scope) { value error { message } } }',
        { expressions, scope: { node: { workflowId: made.workflowId, runId, ...node } } },
        { roles: ['user'] },
      );
      return errors ?? data.evaluateExpressions.map(({ value, error }) => error ?? value);
    };
    const expressions = [
      '{{ item.sku }} {{ index }}',
      'nodes.name.outputs.sku',
      'nodes.total-up.outputs.total',
      'item',
    ];
    const first = { sku: 'MUG-1', qty: 2 };
    expect(await evaluated({ nodeId: 'each/send' })).toEqual(['MUG-1 0', 'MUG-1', 12, first]);
    const items = [{ sku: '{{ nodes.total-up.outputs.total }}' }, { sku: 'other' }];
    const blob = {
      version: 'v1',
      nodes: [nodes[0], node('each', 'for-each', { items, body })],
      edges: chain('total-up', 'each'),
    };
    expect(await evaluated({ nodeId: 'each/send', blob })).toMatchObject(['12 0', 'MUG-1', 12, { sku: 12 }]);
    // Another item, and one beyond the end.
    const second = { sku: 'PEN-1', qty: 10 };
    expect(await evaluated({ nodeId: 'each/send', items: [1] })).toEqual(['PEN-1 1', 'PEN-1', 12, second]);
    expect(await evaluated({ nodeId: 'each/send', items: [1], blob })).toMatchObject([
      'other 1',
      'PEN-1',
      12,
      { sku: 'other' },
    ]);
    expect(await evaluated({ nodeId: 'each/send', items: [2] })).toEqual([' 2', null, 12, null]);
    expect(await evaluated({ nodeId: 'each/send', items: [-1] })).toMatchObject([
      { extensions: { fields: { 'scope.node.items.0': ['Items are counted from 0.'] } } },
    ]);
    // Outside of the loop there is no item, and its nodes cannot be read.
    expect(await evaluated({ nodeId: 'each' })).toMatchObject([' ', null, 12, null]);
    expect(await evaluated({ nodeId: 'none' })).toMatchObject([
      { extensions: { fields: { nodeId: ['The workflow has no such node.'] } } },
    ]);
  });

  test('has the values of another item of the loop, and says how many there are', async () => {
    const seen = await scope({ nodeId: 'each/send', runId, items: [1] });
    expect(seen.get('item.sku')).toMatchObject({ sample: 'PEN-1' });
    expect(seen.get('index')).toMatchObject({ sample: 1 });
    expect(seen.get('nodes.name.outputs.sku')).toMatchObject({ sample: 'PEN-1' });
    const sources = async (variables: object) => {
      const { data, errors } = await api.graphql<{ expressionItemSources: unknown }>(
        'query ($workflowId: ID!, $nodeId: String, $runId: ID, $items: [Int!]! = [], $blob: JSON) { expressionItemSources(workflowId: $workflowId, nodeId: $nodeId, runId: $runId, items: $items, blob: $blob) { nodeId count } }',
        { workflowId: made.workflowId, ...variables },
        { roles: ['user'] },
      );
      return errors ?? data.expressionItemSources;
    };
    expect(await sources({ nodeId: 'each/send', runId })).toEqual([{ nodeId: 'each', count: 2 }]);
    expect(await sources({ nodeId: 'each/send', runId, items: [5] })).toEqual([{ nodeId: 'each', count: 2 }]);
    expect(await sources({ nodeId: 'each/send' })).toEqual([{ nodeId: 'each', count: null }]);
    expect(await sources({ nodeId: 'total-up', runId })).toEqual([]);
    expect(await sources({ nodeId: 'each/none', runId })).toMatchObject([
      { extensions: { fields: { nodeId: [expect.any(String)] } } },
    ]);
    const filtered = (items: unknown) => ({
      nodeId: 'few',
      runId,
      blob: {
        version: 'v1',
        nodes: [...nodes.slice(0, 2), node('few', 'filter', { items, where: '{{ item }}' })],
        edges: chain('total-up', 'each', 'few'),
      },
    });
    for (const [items, count] of [
      ['{{ trigger.payload.lines }}', 2],
      ['{{ trigger.payload.none }}', null],
      ['{{ 1 +', null],
      [[], 0],
      ['{{ trigger.payload.lines[0] }}', 1],
    ] as const)
      expect(await sources(filtered(items))).toEqual([{ nodeId: 'few', count }]);
  });

  test('has the nodes before it, with the outputs of their manifests without a run', async () => {
    const blob = { version: 'v1', nodes, edges: chain('total-up', 'each', 'ask', 'end') };
    const seen = await scope({ nodeId: 'end', blob });
    expect([...seen.keys()].filter((path) => /^nodes\.[^.]+\.outputs$/.test(path))).toEqual([
      'nodes.total-up.outputs',
      'nodes.each.outputs',
      'nodes.ask.outputs',
    ]);
    expect(seen.get('nodes.ask.outputs.status')).toMatchObject({ type: 'NUMBER', sample: null });
    expect(seen.get('trigger.payload')).toMatchObject({ type: null, sample: null });
    expect(seen.has('item')).toBe(false);
    expect((await scope({ nodeId: 'each/send' })).get('item')).toMatchObject({ type: null });
  });

  test('marks the outputs that only a manifest declares, and not those that the run has left', async () => {
    const blob = { version: 'v1', nodes, edges: chain('total-up', 'each', 'ask', 'end') };
    const declared = (seen: Map<string, Entry>) => [...seen.values()].filter((entry) => entry.isDeclared);
    const ran = await scope({ nodeId: 'end', blob, runId });
    expect(ran.get('nodes.total-up.outputs.total')).toMatchObject({ sample: 12, isDeclared: false });
    expect(ran.get('nodes.ask.outputs.status')).toMatchObject({ type: 'NUMBER', sample: null, isDeclared: true });
    expect(declared(ran).every(({ path }) => path.startsWith('nodes.ask.outputs'))).toBe(true);
    const without = await scope({ nodeId: 'end', blob });
    expect(without.get('nodes.total-up.outputs')).toMatchObject({ isDeclared: true });
    expect(declared(without).every(({ path }) => /^nodes\.[^.]+\.outputs/.test(path))).toBe(true);
  });

  test('has the error of a node after which the run goes on where the node has failed, and else as declared', async () => {
    const asked = [
      node('fine', 'set', { values: { a: 1 } }, { on_error: 'branch' }),
      node('bad', 'parse', { format: 'csv', text: 'a,a' }, { on_error: 'continue' }),
      node('last', 'set', { values: { heard: '{{ nodes.bad.outputs.error.message }}' } }),
      node('end', 'set', { values: {} }),
    ];
    const ran = await readyWorkflow(api, { nodes: asked, edges: chain('fine', 'bad', 'last', 'end') });
    const id = await fireRun(api, ran, {});
    await untilRun(api, id, 'succeeded');
    const given = { workflowId: ran.workflowId, nodeId: 'end' };
    const [without, seen] = [await scope(given), await scope({ ...given, runId: id })];
    expect(seen.get('nodes.last.outputs.heard')).toMatchObject({ sample: 'The CSV header names a column twice.' });
    expect(seen.get('nodes.bad.outputs.error.message')).toMatchObject({
      sample: 'The CSV header names a column twice.',
      isDeclared: false,
    });
    expect(seen.get('nodes.fine.outputs.a')).toMatchObject({ sample: 1, isDeclared: false });
    expect(seen.has('nodes.last.outputs.error')).toBe(false);
    const declared = { type: 'STRING', sample: null, isDeclared: true };
    expect(seen.get('nodes.fine.outputs.error.message')).toMatchObject(declared);
    for (const each of ['fine', 'bad']) expect(without.get(`nodes.${each}.outputs.error.code`)).toMatchObject(declared);
    expect(without.has('nodes.last.outputs.error')).toBe(false);
  });

  test('is that of the whole graph without a node', async () => {
    expect((await scope({})).has('nodes.each.outputs')).toBe(true);
  });

  test('is that of the draft, where there is one and it is asked for', async () => {
    expect((await scope({ draft: true })).has('nodes.end.outputs')).toBe(false);
    const blob = { version: 'v1', nodes: [...nodes.slice(0, 2), node('end', 'set', { values: {} })], edges: [] };
    const { errors } = await api.graphql(
      'mutation ($input: SaveWorkflowDraftInput!) { saveWorkflowDraft(input: $input) { __typename } }',
      { input: { workflowId: made.workflowId, version: 0, baseRevision: 1, blob } },
    );
    expect(errors).toBeUndefined();
    expect((await scope({ draft: true })).has('nodes.end.outputs')).toBe(true);
    expect((await scope({})).has('nodes.end.outputs')).toBe(false);
  });

  test('is refused for a node or a run that is not of the workflow', async () => {
    expect((await ask({ nodeId: 'none' })).errors).toMatchObject([
      { extensions: { fields: { nodeId: expect.any(Array) } } },
    ]);
    const other = await readyWorkflow(api, { nodes: [] });
    expect((await ask({ workflowId: other.workflowId, runId })).errors).toMatchObject([
      { extensions: { fields: { runId: ['This is a run of another workflow.'] } } },
    ]);
    expect((await ask({ runId: 999_999 })).data).toEqual({ expressionScope: null });
    expect((await ask({ blob: { version: 'v2' } })).errors).toMatchObject([
      { extensions: { code: 'VALIDATION_FAILED' } },
    ]);
    expect((await ask({ runId }, { tenant: 'acme-outlet' })).data).toEqual({ expressionScope: null });
  });
});
