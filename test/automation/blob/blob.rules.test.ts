import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  listBranches,
  credentialReferences,
  nodeSlugs,
  resolveVersion,
  triggerHandles,
} from '#src/automation/blob/blob-nodes.rules.ts';
import type { NodeCatalogue } from '#src/automation/blob/blob-nodes.rules.ts';
import { workflowBlobSchema } from '#src/automation/blob/blob.inputs.ts';
import type { WorkflowBlob } from '#src/automation/blob/blob.inputs.ts';
import { validateBlob } from '#src/automation/blob/blob.rules.ts';
import { findCycle } from '#src/automation/blob/cycle.rules.ts';
import { coreNodes } from '#src/automation/core-nodes/core-nodes.ts';
import { coreNodeManifests } from '#src/automation/core-nodes/manifests.ts';

const catalogue: NodeCatalogue = {
  versions: (slug) => {
    if (slug === 'erp:send') return ['2.0.0-rc.1', '1.3.0', '1.2.0'];
    return coreNodeManifests.filter((manifest) => manifest.slug === slug).map(({ version }) => version);
  },
  manifest: (slug, version) =>
    slug === 'erp:send'
      ? {
          config: [{ key: 'login', type: 'credentials-ref', credential_types: ['erp:login'] }],
          branches: ['sent', 'full'],
        }
      : coreNodeManifests.find((manifest) => manifest.slug === slug && manifest.version === version),
  builtin: (slug) => coreNodes.find((each) => each.slug === slug),
};

type NodeInput = Record<string, unknown> & { id: string };

const node = (id: string, more: object = {}): NodeInput => ({
  id,
  node: 'core:set',
  version: '1.0.0',
  config: { values: {} },
  ...more,
});

const edge = (from: string, to: string, branch = 'default') => ({ from: { node: from, branch }, to });

const makeBlob = (nodes: NodeInput[], edges: unknown[] = [], settings = {}): WorkflowBlob =>
  workflowBlobSchema.parse({ version: 'v1', nodes, edges, settings });

const check = (nodes: NodeInput[], edges: unknown[] = [], settings = {}) =>
  validateBlob(makeBlob(nodes, edges, settings), { catalogue, workflowId: 9 });

const loop = (id: string, body: unknown): NodeInput =>
  node(id, { node: 'core:for-each', config: { items: [1], body } });

test('a valid blob has neither errors nor warnings', async () => {
  const found = await check(
    [
      node('a', { config: { values: { id: '{{ trigger.payload.id }}' } } }),
      node('if', { node: 'core:if', config: { condition: 'nodes.a.outputs.id = 1' } }),
      node('send', { node: 'erp:send', version: '^1.2.0', on_error: 'branch' }),
      loop('each', { nodes: [node('x'), node('y')], edges: [edge('x', 'y')] }),
    ],
    [{ from: { trigger: 'h' }, to: 'a' }, edge('a', 'if'), edge('if', 'send', 'true'), edge('send', 'each', 'error')],
    { error_workflow_id: 8 },
  );
  expect(found).toEqual({ errors: {}, warnings: {}, issues: [] });
});

describe('errors are keyed by the path of the fault', () => {
  test.each<[string, string, NodeInput[], unknown[]?, object?]>([
    ['blob.nodes.1.id', 'already', [node('a'), node('a')]],
    ['blob.edges.0.to', 'no node "b"', [node('a')], [edge('a', 'b')]],
    ['blob.edges.0.from.node', 'no node "b"', [node('a')], [edge('b', 'a')]],
    ['blob.edges.0.to', 'no node "b"', [node('a')], [{ from: { trigger: 'h' }, to: 'b' }]],
    ['blob.edges', 'a -> a', [node('a')], [edge('a', 'a')]],
    ['blob.edges', 'cycle', [node('a'), node('b'), node('c')], [edge('a', 'b'), edge('b', 'c'), edge('c', 'a')]],
    ['blob.nodes.0.node', 'publish its package', [node('a', { node: 'core:nothing' })]],
    ['blob.nodes.0.version', 'no version 2.0.0', [node('a', { version: '2.0.0' })]],
    ['blob.nodes.0.version', '^1.2.0, or latest', [node('a', { version: 'newest please' })]],
    ['blob.edges.0.from.branch', 'no branch "yes"', [node('a'), node('b')], [edge('a', 'b', 'yes')]],
    ['blob.edges.0.from.branch', 'no branch "error"', [node('a'), node('b')], [edge('a', 'b', 'error')]],
    [
      'blob.edges.0.from.branch',
      'it has default, x',
      [node('a', { node: 'core:switch', config: { value: 1, cases: [{ equals: 1, branch: 'x' }] } }), node('b')],
      [edge('a', 'b', 'y')],
    ],
    ['blob.nodes.0.config.values.a.1', 'at character', [node('a', { config: { values: { a: [1, '{{ 1 + }}'] } } })]],
    ['blob.nodes.0.config.condition', '', [node('a', { node: 'core:if', config: { condition: '1 +' } })]],
    ['blob.nodes.0.config.body', '', [loop('a', null)]],
    ['blob.nodes.0.config.body.nodes.0.id', '', [loop('a', { nodes: [node('no good')], edges: [] })]],
    ['blob.nodes.0.config.body.nodes.0.node', 'no node', [loop('a', { nodes: [node('x', { node: 'no:no' })] })]],
    ['blob.nodes.0.config.body.nodes.0.config.v', '', [loop('a', { nodes: [node('x', { config: { v: '{{' } })] })]],
    ['blob.nodes.0.config.body.edges', 'cycle', [loop('a', { nodes: [node('x')], edges: [edge('x', 'x')] })]],
    [
      'blob.nodes.0.config.body.edges.0.from.trigger',
      'not loops',
      [loop('a', { nodes: [node('x')], edges: [{ from: { trigger: 'h' }, to: 'x' }] })],
    ],
    ['blob.settings.error_workflow_id', 'another one', [], [], { error_workflow_id: 9 }],
  ])('%s: %s', async (path, message, nodes, edges, settings) => {
    const { errors } = await check(nodes, edges, settings);
    expect(Object.keys(errors)).toEqual([path]);
    expect(errors[path]?.[0]).toContain(message);
  });

  test('loops may nest four levels deep, but not five', async () => {
    const nested = (depth: number): NodeInput =>
      depth === 0 ? node('leaf') : loop(`level${depth}`, { nodes: [nested(depth - 1)], edges: [] });
    expect((await check([nested(4)])).errors).toEqual({});
    expect(Object.values((await check([nested(5)])).errors).flat()[0]).toContain('at most 4 levels');
  });

  test('nodes are counted over all loops', async () => {
    const body = { nodes: Array.from({ length: 300 }, (_, index) => node(`n${index}`)), edges: [] };
    expect((await check([loop('a', body), loop('b', body)])).errors).toHaveProperty(['blob.nodes']);
  });

  test('the errors of a blob with everything wrong are bounded', async () => {
    const nodes = Array.from({ length: 500 }, () => node('same', { node: 'no:no', config: { a: '{{', b: '{{' } }));
    expect(Object.keys((await check(nodes)).errors).length).toBeLessThanOrEqual(200);
  });

  test('the errors under very long keys are bounded', async () => {
    let values: unknown = Array.from({ length: 1_000 }, () => '{{ ( }}');
    for (let level = 0; level < 30; level += 1) values = { ['k'.repeat(10_000)]: values };
    const { errors } = await check([node('a', { config: { values } })]);
    expect(Object.keys(errors)).toEqual([expect.stringMatching(/^blob\.nodes\.0\.config\.values\.k+…$/)]);
    expect(JSON.stringify(errors).length).toBeLessThan(20_000);
  });
});

test('lets others run while the expressions of a large blob are checked', async () => {
  const values = (from: number) =>
    Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`v${index}`, `{{ $sum([${from}, ${index}]) }}`]));
  const nodes = Array.from({ length: 20 }, (_, index) => node(`n${index}`, { config: { values: values(index) } }));
  const end = new AbortController();
  const checked = check(nodes).finally(() => end.abort());
  let turns = 0;
  for (; !end.signal.aborted; turns += 1) await nextTurn();
  expect((await checked).errors).toEqual({});
  expect(turns).toBeGreaterThan(2);
});

test('without a catalogue only the graph and its expressions are checked', async () => {
  const nodes = [node('a', { node: 'who:knows', version: '9.9.9' }), node('b')];
  expect((await validateBlob(makeBlob(nodes, [edge('a', 'b', 'any')]))).errors).toEqual({});
});

test('an unreachable node is allowed, with a warning', async () => {
  const { errors, warnings } = await check([node('a'), node('b')], [{ from: { trigger: 'h' }, to: 'a' }]);
  expect(errors).toEqual({});
  expect(warnings).toEqual({ 'blob.nodes.1': ['No edge leads here from a trigger.'] });
  expect((await check([node('a'), node('b')])).warnings).toEqual({});
});

test.each([
  ['latest', '2.0.0'],
  ['1.2.0', '1.2.0'],
  ['^1.0.0', '1.10.0'],
  ['1.2.x', '1.2.0'],
  ['9.9.9', undefined],
  ['nonsense', undefined],
])('the version %s resolves to %s', (wanted, version) => {
  expect(resolveVersion(wanted, ['1.2.0', '2.0.0', '1.10.0', '2.0.0-rc.1'])).toBe(version);
});

test('branches come from the manifest, the config and on_error', () => {
  const branches = (more: object) => {
    const [first] = makeBlob([node('a', more)]).nodes;
    return first && listBranches(first, catalogue);
  };
  expect(branches({})).toEqual(['default']);
  expect(branches({ on_error: 'branch' })).toEqual(['default', 'error']);
  expect(branches({ node: 'erp:send', version: 'latest', on_error: 'continue' })).toEqual(['sent', 'full', 'default']);
  expect(branches({ node: 'core:switch', config: { cases: '{{ trigger.payload }}' } })).toBeUndefined();
  expect(branches({ node: 'no:no' })).toBeUndefined();
});

test('references to credentials, triggers and nodes are listed, including those in loops', () => {
  const http = (id: string, credential: unknown) =>
    node(id, { node: 'core:http-request', config: { url: 'http://x', credential } });
  const blob = makeBlob(
    [
      http('a', 7),
      http('b', null),
      loop('each', {
        nodes: [http('c', '12'), node('d', { node: 'erp:send', version: '1.2.0', config: { login: 3 } })],
        edges: [],
      }),
    ],
    [
      { from: { trigger: 'h1' }, to: 'a' },
      { from: { trigger: 'h1' }, to: 'b' },
      { from: { trigger: 'h2' }, to: 'a' },
    ],
  );
  expect(credentialReferences(blob, catalogue)).toEqual([
    expect.objectContaining({ nodeId: 'a', field: 'credential', credentialId: '7' }),
    expect.objectContaining({ nodeId: 'each/c', field: 'credential', credentialId: '12' }),
    { nodeId: 'each/d', field: 'login', credentialId: '3', types: ['erp:login'] },
  ]);
  expect(triggerHandles(blob)).toEqual(['h1', 'h2']);
  expect(nodeSlugs(blob)).toEqual(['core:http-request', 'core:for-each', 'erp:send']);
});

test('a cycle is reported exactly when the graph has one, and it is a real cycle', () => {
  const graphs = fc
    .integer({ min: 1, max: 8 })
    .chain((size) =>
      fc.array(fc.tuple(fc.nat(size - 1), fc.nat(size - 1)), { maxLength: 12 }).map((pairs) => ({ size, pairs })),
    );
  fc.assert(
    fc.property(graphs, ({ size, pairs }) => {
      const nodes = Array.from({ length: size }, (_, index) => node(`n${index}`));
      const edges = pairs.map(([a, b]) => edge(`n${a}`, `n${b}`));
      const cycle = findCycle(makeBlob(nodes, edges));
      const has = new Set(pairs.map(([a, b]) => `n${a}>n${b}`));
      // Repeatedly removes nodes without outgoing edges; the nodes that remain contain a cycle.
      let left = pairs;
      for (let before = -1; before !== left.length;) {
        before = left.length;
        left = left.filter(([, to]) => left.some(([from]) => from === to));
      }
      expect(cycle !== undefined).toBe(left.length > 0);
      for (const [index, id] of (cycle ?? []).slice(1).entries()) expect(has.has(`${cycle?.[index]}>${id}`)).toBe(true);
      expect(cycle?.[0]).toBe(cycle?.at(-1));
    }),
    { numRuns: 500 },
  );
});
