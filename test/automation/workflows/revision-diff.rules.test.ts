import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type BlobDiff, type Change, diffBlobs } from '#src/automation/workflows/revision-diff.rules.ts';
import { boundDiff, diffLimits, summarise } from '#src/automation/workflows/revision-summary.rules.ts';
import { canonicalJson } from '#src/infra/json.ts';
import { measureCpuTime } from '#test/setup/cpu-time.ts';

type Json = Record<string, unknown>;

const ids = ['a', 'b', 'c', 'd'];
const branch = fc.constantFrom('default', 'true', 'error');
const small = fc.jsonValue({ maxDepth: 2 });
const config = fc.dictionary(fc.constantFrom('url', 'a.b', '0', 'list', '', '__proto__', 'x y'), small, { maxKeys: 4 });
const edge = fc.record({
  from: fc.oneof(fc.record({ node: fc.constantFrom(...ids), branch }), fc.record({ trigger: fc.constant('t') })),
  to: fc.constantFrom(...ids),
});

const { graph } = fc.letrec<{ graph: Json; node: Json }>((tie) => ({
  graph: fc.record(
    {
      nodes: fc.uniqueArray(tie('node'), { selector: (node) => node['id'], maxLength: 4 }),
      edges: fc.array(edge, { maxLength: 5 }),
      note: fc.constantFrom('x', 'y'),
    },
    { requiredKeys: ['nodes'] },
  ),
  node: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.record({
      id: fc.constantFrom(...ids),
      node: fc.constantFrom('core:set', 'core:if'),
      version: fc.constantFrom('1.0.0', 'latest'),
      config,
    }),
    fc
      .tuple(fc.constantFrom(...ids), tie('graph'), config)
      .map(([id, body, more]) => ({ id, node: 'core:for-each', version: '1.0.0', config: { ...more, body } })),
  ),
}));
const blob = fc
  .tuple(graph, fc.record({ settings: config, state: fc.record({ namespaces: config }) }, { requiredKeys: [] }))
  .map(([whole, more]) => JSON.parse(JSON.stringify({ version: 'v1', ...whole, ...more })) as Json);

const reversed = (one: Json): Json => ({ ...one, nodes: (one['nodes'] as Json[]).toReversed() });
function withOneConfig(one: Json, given: Json): Json {
  const [first, ...others] = structuredClone(one['nodes'] as Json[]);
  const config = JSON.parse(JSON.stringify(given)) as Json;
  return first
    ? { ...one, nodes: [{ ...first, config: { ...(first['config'] as Json), ...config } }, ...others] }
    : one;
}

/** A blob and one that is the same, nearly the same, or has nothing to do with it. */
const pair: fc.Arbitrary<[Json, Json]> = fc.oneof(
  fc.tuple(blob, blob),
  blob.map((one): [Json, Json] => [one, structuredClone(one)]),
  blob.map((one): [Json, Json] => [one, reversed(one)]),
  fc.tuple(blob, config).map(([one, given]): [Json, Json] => [one, withOneConfig(one, given)]),
);

const isEmpty = ({ nodes, edges, settings, state }: BlobDiff): boolean =>
  [...Object.values(nodes), ...Object.values(edges), settings, state].every((list) => list.length === 0);

/** The blob's text with nodes and edges in an order that does not depend on how they were listed. */
function settled(value: unknown, isBlobOrBody = true): unknown {
  if (Array.isArray(value)) return value.map((item) => settled(item, false));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([member, inner]): [string, unknown] => {
    if (isBlobOrBody && member === 'nodes') return [member, sortedBy(inner as Json[], (node) => settledNode(node))];
    if (isBlobOrBody && member === 'edges') return [member, sortedBy(inner as Json[], (each) => each)];
    return [member, settled(inner, false)];
  });
  return Object.fromEntries(entries);
}
const sortedBy = (list: Json[], map: (item: Json) => unknown): unknown[] =>
  list.map(map).toSorted((a, b) => (canonicalJson(a) < canonicalJson(b) ? -1 : 1));
function settledNode(node: Json): Json {
  if (node['node'] !== 'core:for-each') return node;
  const { body, ...config } = node['config'] as Json;
  return { ...node, config: { ...config, body: settled(body) } };
}
const text = (value: Json): string => canonicalJson(settled(value));

const swapped = (changes: Change[]): Change[] =>
  changes.map(({ path, ...sides }) => ({
    path,
    ...('to' in sides && { from: sides.to }),
    ...('from' in sides && { to: sides.from }),
  }));

/** Sets what a change says at its path, read the way it was written. */
function applyChange(value: Json, change: Change): void {
  const members = [...change.path.matchAll(/"(?:[^"\\]|\\.)*"|[^.]+/g)].map(([part]) =>
    part.startsWith('"') ? (JSON.parse(part) as string) : part,
  );
  const last = members.pop() as string;
  const holder = members.reduce((inner, member) => inner[member] as Json, value);
  if ('to' in change)
    Object.defineProperty(holder, last, { value: change.to, enumerable: true, writable: true, configurable: true });
  else if (Array.isArray(holder)) holder.splice(Number(last));
  else delete holder[last];
}

describe('a diff of blobs', () => {
  test('of a blob and itself is empty', () => {
    fc.assert(
      fc.property(blob, (one) => {
        const diff = diffBlobs(one, structuredClone(one));
        expect([isEmpty(diff), diff.reordered, summarise(diff)]).toEqual([true, false, []]);
      }),
    );
  });

  test('is empty only for blobs that differ in nothing but the order of nodes and edges', () => {
    fc.assert(
      fc.property(pair, ([from, to]) => {
        const diff = diffBlobs(from, to);
        expect(isEmpty(diff)).toBe(text(from) === text(to));
        expect(diff.reordered).toBe(isEmpty(diff) && canonicalJson(from) !== canonicalJson(to));
        expect(summarise(diff).length > 0).toBe(canonicalJson(from) !== canonicalJson(to));
      }),
    );
  });

  test('the other way round is its inverse', () => {
    fc.assert(
      fc.property(pair, ([from, to]) => {
        const [there, back] = [diffBlobs(from, to), diffBlobs(to, from)];
        expect(back).toEqual({
          nodes: {
            added: there.nodes.removed,
            removed: there.nodes.added,
            changed: there.nodes.changed.map(({ id, changes }) => ({ id, changes: swapped(changes) })),
          },
          edges: { added: there.edges.removed, removed: there.edges.added },
          settings: swapped(there.settings),
          state: swapped(there.state),
          reordered: there.reordered,
        });
      }),
    );
  });

  test('is enough to reconstruct one node from the other', () => {
    fc.assert(
      fc.property(config, config, (one, other) => {
        const blobWith = (given: Json) => ({ nodes: [{ id: 'a', node: 'core:set', config: given }], edges: [] });
        const [from, to] = [one, other].map((each) => JSON.parse(JSON.stringify(each)) as Json);
        const { nodes } = diffBlobs(blobWith(from as Json), blobWith(to as Json));
        const node = structuredClone({ config: from }) as Json;
        for (const change of nodes.changed[0]?.changes ?? []) applyChange(node, change);
        expect(canonicalJson(node)).toBe(canonicalJson({ config: to }));
      }),
    );
  });

  test('stays within its limits, and says when something was left out', () => {
    fc.assert(
      fc.property(pair, ([from, to]) => {
        const diff = diffBlobs(from, to);
        expect(boundDiff(diff).truncated).toBe(false);
      }),
    );
    const nodes = (length: number, config: Json) =>
      Array.from({ length }, (_, index) => ({ id: `n${index}`, node: 'core:set', version: '1.0.0', config }));
    const long = { text: 'x'.repeat(20_000) };
    const cases = [
      [{ nodes: [] }, { nodes: nodes(500, long) }],
      [{ nodes: nodes(500, { text: '' }) }, { nodes: nodes(500, long) }],
      [
        { nodes: nodes(1, {}) },
        { nodes: nodes(1, Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`k${n}`, n]))) },
      ],
    ];
    for (const [from, to] of cases) {
      const diff = diffBlobs(from, to);
      const bounded = boundDiff(diff);
      expect(bounded.truncated).toBe(true);
      expect(JSON.stringify(bounded).length).toBeLessThan(1_500_000);
      const lines = summarise(diff);
      expect(lines.length).toBeLessThanOrEqual(diffLimits.lines + 1);
      expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(1_000);
    }
  });

  test('of blobs that differ in a hundred thousand values, each under very long keys, costs a moment and little memory', async () => {
    const makeBlob = (value: number): Json => {
      let values: unknown = Array.from({ length: 100_000 }, () => value);
      for (let level = 0; level < 30; level += 1) values = { ['k'.repeat(10_000)]: values };
      return { nodes: [{ id: 'a', node: 'core:set', version: '1.0.0', config: { values } }] };
    };
    const taken = await measureCpuTime(() => {
      const diff = diffBlobs(makeBlob(0), makeBlob(1));
      const bounded = boundDiff(diff);
      expect(summarise(diff).length).toBeLessThanOrEqual(diffLimits.lines + 1);
      expect(bounded.truncated).toBe(true);
      expect(JSON.stringify(bounded).length).toBeLessThan(1_500_000);
    });
    expect(taken).toBeLessThan(5_000);
  });

  test('is readable', () => {
    const node = (id: string, slug: string, config: Json, more: Json = {}) => ({
      id,
      node: slug,
      version: '1.0.0',
      config,
      ...more,
    });
    const from = {
      version: 'v1',
      nodes: [
        node('each', 'core:for-each', {
          items: '{{ trigger.payload }}',
          body: { nodes: [node('send', 'core:http-request', { url: 'https://a.example', 'x-y': 1 })] },
        }),
        node('old', 'core:set', {}, { position: { x: 0, y: 0 } }),
        node('stay', 'core:set', {}, { position: { x: 0, y: 0 } }),
      ],
      edges: [{ from: { node: 'each', branch: 'default' }, to: 'old' }],
      settings: { concurrency: 1 },
    };
    const to = {
      version: 'v1',
      nodes: [
        node('each', 'core:for-each', {
          items: '{{ trigger.payload }}',
          body: {
            nodes: [node('send', 'core:http-request', { url: 'https://b.example' }), node('log', 'core:set', {})],
          },
        }),
        node('stay', 'core:set', {}, { position: { x: 5, y: 5 } }),
      ],
      edges: [{ from: { trigger: 'hook' }, to: 'each' }],
      settings: { concurrency: 2 },
      state: { namespaces: { orders: 'read' } },
    };
    const diff = diffBlobs(from, to);
    expect(diff.nodes.changed).toEqual([
      {
        id: 'each/send',
        changes: [
          { path: 'config.url', from: 'https://a.example', to: 'https://b.example' },
          { path: 'config.x-y', from: 1 },
        ],
      },
      {
        id: 'stay',
        changes: [
          { path: 'position.x', from: 0, to: 5 },
          { path: 'position.y', from: 0, to: 5 },
        ],
      },
    ]);
    expect(diff.nodes.added.map(({ id }) => id)).toEqual(['each/log']);
    expect(summarise(diff)).toEqual([
      'Added each/log (core:set 1.0.0).',
      'Removed old (core:set 1.0.0).',
      'each/send: config.url "https://a.example" → "https://b.example".',
      'each/send: config.x-y removed (was 1).',
      'stay: moved in the editor.',
      'Connected trigger hook → each.',
      'Disconnected each → old.',
      'settings.concurrency 1 → 2.',
      'state set to {"namespaces":{"orders":"read"}}.',
    ]);
  });

  test('of a value that is not a blob does not throw', () => {
    for (const odd of [
      {},
      { nodes: 1 },
      { nodes: [1] },
      { nodes: [], edges: [null] },
      { nodes: [{ id: 'a' }, { id: 'a' }] },
    ]) {
      expect(isEmpty(diffBlobs(odd, structuredClone(odd)))).toBe(true);
      expect(isEmpty(diffBlobs(odd, { nodes: [{ id: 'b' }] }))).toBe(false);
    }
  });
});
