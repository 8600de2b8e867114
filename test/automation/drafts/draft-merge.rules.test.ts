import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mergeBlobs, type MergeConflict } from '#src/automation/drafts/draft-merge.rules.ts';
import type { Graph } from '#src/automation/workflows/revision-diff.rules.ts';
import { canonicalJson } from '#src/infra/json.ts';

type Json = Record<string, unknown>;

const ids = ['a', 'b', 'c', 'd', 'e'];
const edge = fc.record({
  from: fc.oneof(
    fc.record({ node: fc.constantFrom(...ids), branch: fc.constantFrom('default', 'error') }),
    fc.record({ trigger: fc.constant('t') }),
  ),
  to: fc.constantFrom(...ids),
});
const position = fc.record({ x: fc.nat(2), y: fc.nat(2) });
const config = fc.dictionary(fc.constantFrom('url', '0', '', '__proto__'), fc.jsonValue({ maxDepth: 1 }), {
  maxKeys: 2,
});

const { graph } = fc.letrec<{ graph: Graph; node: Json }>((tie) => ({
  graph: fc.record({
    nodes: fc.uniqueArray(tie('node'), { selector: (node) => node['id'], maxLength: 4 }),
    edges: fc.uniqueArray(edge, { selector: canonicalJson, maxLength: 4 }),
  }) as fc.Arbitrary<Graph>,
  node: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.record(
      { id: fc.constantFrom(...ids), node: fc.constantFrom('core:set', 'core:if'), config, position },
      { requiredKeys: ['id', 'node', 'config'] },
    ),
    fc.record({
      id: fc.constantFrom(...ids),
      node: fc.constant('core:for-each'),
      config: fc.record({ items: fc.constantFrom('x', 'y'), body: tie('graph') }),
    }),
  ),
}));
const blob = fc
  .tuple(
    graph,
    fc.record(
      {
        settings: config,
        state: fc.record({ namespaces: fc.dictionary(fc.constantFrom('n', 'm'), fc.constant('read')) }),
      },
      { requiredKeys: [] },
    ),
  )
  .map(([whole, more]) => JSON.parse(JSON.stringify({ version: 'v1', ...whole, ...more })) as Graph);

/** Three blobs; often two of them are equal or share most nodes. */
const three = fc.oneof(
  fc.tuple(blob, blob, blob),
  fc.tuple(blob, blob).map(([base, one]): [Graph, Graph, Graph] => [base, one, structuredClone(one)]),
  fc
    .tuple(blob, blob, blob)
    .map(([base, one, other]): [Graph, Graph, Graph] => [base, mixed(base, one), mixed(base, other)]),
);

/** The first half of the nodes of one blob and the rest of another's, under its edges. */
function mixed(base: Graph, one: Graph): Graph {
  const kept = base.nodes.slice(0, Math.ceil(base.nodes.length / 2));
  const own = one.nodes.filter(({ id }) => kept.every((node) => node['id'] !== id));
  return { ...base, nodes: [...kept, ...own], edges: one.edges ?? [] };
}

/** A blob in a form that does not depend on the order of its nodes and edges, which has no effect. */
function normal(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normal);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([key, member]: [string, unknown]): [string, unknown] => {
    const isList = (key === 'nodes' || key === 'edges') && Array.isArray(member);
    return [
      key,
      isList ? member.map(normal).toSorted((a, b) => (canonicalJson(a) < canonicalJson(b) ? -1 : 1)) : normal(member),
    ];
  });
  return Object.fromEntries(members);
}
const normalText = (value: unknown): string => canonicalJson(normal(value));

const swapped = ({ kind, path, base, mine, theirs }: MergeConflict) =>
  normalText({ kind, path, base, mine: theirs, theirs: mine });

describe('merging blobs', () => {
  test('with a side that changed nothing gives the other side', () => {
    fc.assert(
      fc.property(blob, blob, (base, changed) => {
        for (const merge of [mergeBlobs(base, changed, base), mergeBlobs(base, base, changed)]) {
          expect(merge.conflicts).toEqual([]);
          expect(normalText(merge.blob)).toBe(normalText(changed));
        }
      }),
    );
  });

  test('gives what both sides have where they made the same change', () => {
    fc.assert(
      fc.property(blob, blob, (base, changed) => {
        const merge = mergeBlobs(base, changed, structuredClone(changed));
        expect(merge.conflicts).toEqual([]);
        expect(normalText(merge.blob)).toBe(normalText(changed));
      }),
    );
  });

  test('finds the same conflicts whichever side is mine, and the same blob if there are none', () => {
    fc.assert(
      fc.property(three, ([base, one, other]) => {
        const [here, there] = [mergeBlobs(base, one, other), mergeBlobs(base, other, one)];
        expect(here.conflicts.map(swapped).toSorted()).toEqual(there.conflicts.map(normalText).toSorted());
        if (here.conflicts.length === 0) expect(normalText(here.blob)).toBe(normalText(there.blob));
      }),
    );
  });

  test('does not change the blobs it is given', () => {
    fc.assert(
      fc.property(three, (blobs) => {
        const before = canonicalJson(blobs);
        mergeBlobs(...blobs);
        expect(canonicalJson(blobs)).toBe(before);
      }),
    );
  });

  const edit = fc.constantFrom('keep', 'remove', 'one', 'other');
  type Edit = 'keep' | 'remove' | 'one' | 'other';

  test('keeps every edit of one side, and lists exactly the nodes on which both disagree', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(edit, edit), { maxLength: 8 }), (edits) => {
        const node = (index: number, url: string) => ({ id: `n${index}`, node: 'core:set', config: { url } });
        const applied = (side: 0 | 1): Graph => ({
          nodes: edits.flatMap((pair, index) => {
            const made: Edit = pair[side];
            if (made === 'remove') return [];
            return [node(index, made === 'keep' ? 'base' : made)];
          }),
        });
        const { blob: merged, conflicts } = mergeBlobs(
          { nodes: edits.map((_, index) => node(index, 'base')) },
          applied(0),
          applied(1),
        );
        const disagree = edits.map(([mine, theirs]) => mine !== theirs && mine !== 'keep' && theirs !== 'keep');
        expect(conflicts.map(({ kind, path }) => `${kind} ${path}`).toSorted()).toEqual(
          edits.flatMap((_, index) => (disagree[index] ? [`node n${index}`] : [])).toSorted(),
        );
        const wanted = edits.flatMap(([mine, theirs], index) => {
          const made = mine === 'keep' ? theirs : mine;
          if (made === 'remove') return [];
          return [node(index, made === 'keep' ? 'base' : made)];
        });
        expect(normalText(merged)).toBe(normalText({ nodes: wanted, edges: [] }));
      }),
    );
  });

  test('keeps edits of both sides that touch different nodes, edges and settings', () => {
    const base = {
      nodes: [
        { id: 'a', config: { url: 1 }, position: { x: 0, y: 0 } },
        { id: 'b', config: { url: 1 } },
        {
          id: 'each',
          node: 'core:for-each',
          config: {
            body: {
              nodes: [
                { id: 'x', n: 1 },
                { id: 'y', n: 1 },
              ],
              edges: [],
            },
          },
        },
      ],
      edges: [{ from: { node: 'a' }, to: 'b' }],
      settings: { concurrency: 1, timeout_ms: 5 },
    };
    const mine = structuredClone(base);
    Object.assign(mine.nodes[0] as object, { position: { x: 9, y: 9 } });
    Object.assign(mine.nodes[2]?.config.body?.nodes[0] as object, { n: 2 });
    mine.settings.concurrency = 2;
    mine.edges.push({ from: { node: 'b' }, to: 'each' });
    const theirs = structuredClone(base);
    Object.assign(theirs.nodes[0] as object, { config: { url: 2 } });
    Object.assign(theirs.nodes[2]?.config.body?.nodes[1] as object, { n: 2 });
    theirs.settings.timeout_ms = 6;
    theirs.edges = [];
    const { blob: merged, conflicts } = mergeBlobs(base, mine, theirs);
    expect(conflicts).toEqual([]);
    expect(merged).toEqual({
      nodes: [
        { id: 'a', config: { url: 2 }, position: { x: 9, y: 9 } },
        { id: 'b', config: { url: 1 } },
        {
          id: 'each',
          node: 'core:for-each',
          config: {
            body: {
              nodes: [
                { id: 'x', n: 2 },
                { id: 'y', n: 2 },
              ],
              edges: [],
            },
          },
        },
      ],
      edges: [{ from: { node: 'b' }, to: 'each' }],
      settings: { concurrency: 2, timeout_ms: 6 },
    });
  });

  test('lists positions, settings, nodes of loops, and an edge to a node that the other side removed', () => {
    const loop = (n: number) => ({
      id: 'each',
      node: 'core:for-each',
      config: { body: { nodes: [{ id: 'x', n }], edges: [] } },
    });
    const base = { nodes: [{ id: 'a', position: 1 }, { id: 'b' }, loop(1)], edges: [], settings: { concurrency: 1 } };
    const mine = {
      nodes: [{ id: 'a', position: 2 }, { id: 'b' }, loop(2)],
      edges: [{ from: { node: 'a' }, to: 'b' }],
      settings: { concurrency: 2 },
    };
    const theirs = { nodes: [{ id: 'a', position: 3 }, loop(3)], edges: [], settings: { concurrency: 3 } };
    const { blob: merged, conflicts } = mergeBlobs(base, mine, theirs);
    expect(conflicts).toEqual([
      { kind: 'position', path: 'a', base: 1, mine: 2, theirs: 3 },
      { kind: 'node', path: 'each/x', base: { id: 'x', n: 1 }, mine: { id: 'x', n: 2 }, theirs: { id: 'x', n: 3 } },
      { kind: 'edge', path: 'a.default -> b', mine: { from: { node: 'a' }, to: 'b' } },
      { kind: 'setting', path: 'settings.concurrency', base: 1, mine: 2, theirs: 3 },
    ]);
    expect(merged).toEqual({ nodes: [{ id: 'a', position: 2 }, loop(2)], edges: [], settings: { concurrency: 2 } });
  });
});
