import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { workflowGraphSchema } from '#src/automation/blob/blob.inputs.ts';
import { scopeEntries, scopeLimits, visibleNodes } from '#src/automation/expression-preview/expression-scope.rules.ts';
import { compileTemplate } from '#src/automation/expressions/template.ts';
import { jsonType } from '#src/automation/expressions/value-type.ts';
import { chain, node } from '#test/setup/engine.ts';

const makeRoots = (payload: unknown) => [
  { name: 'payload', path: 'trigger.payload', value: payload },
  { name: 'a-b', path: 'nodes.a-b.outputs', value: payload },
];

const keys = fc.oneof(fc.string(), fc.constantFrom('and', 'a b', '__proto__', 'order', '`', '{{x}}', '}}', '1st'));
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'medium' },
    fc.string({ maxLength: 300 }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(keys, tie('value'), { maxKeys: 6 }),
  ),
})).value;

describe('the entries of a scope', () => {
  test('are expressions that yield the type and the sample that they show', async () => {
    await fc.assert(
      fc.asyncProperty(json, async (payload) => {
        for (const { path, type, sample, hasMore } of scopeEntries(makeRoots(payload))) {
          const value = await compileTemplate({ e: path }, { deferred: ['e'] })
            .deferred('e')
            .evaluate({
              trigger: { payload, type: 'manual', handle: null },
              nodes: { 'a-b': { outputs: payload } },
              run: { id: 1, started_at: '2026-01-01T00:00:00.000Z' },
              secrets: () => undefined,
            });
          expect(jsonType(value), path).toBe(type);
          if (typeof value === 'string' && hasMore) expect(value.startsWith(String(sample).slice(0, -1))).toBe(true);
          else expect(sample, path).toEqual(typeof value === 'object' ? null : value);
        }
      }),
    );
  });

  test('list parents before their members, once each', () => {
    fc.assert(
      fc.property(json, (payload) => {
        const entries = scopeEntries(makeRoots(payload));
        expect(new Set(entries.map(({ path }) => path)).size).toBe(entries.length);
        for (const [index, { depth, path }] of entries.entries()) {
          const parent = entries.slice(0, index).findLast((each) => each.depth < depth);
          if (depth > 0) expect(path.startsWith(parent?.path ?? 'none')).toBe(true);
        }
      }),
    );
  });

  test('are bounded, and a large value leaves room for the others', () => {
    const wide = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`m${index}`, { a: { b: { c: 1 } } }]));
    const deep = Array.from({ length: 50 }).reduce<unknown>((inner) => ({ inner }), 1);
    const entries = scopeEntries([
      { name: 'wide', path: 'wide', value: [wide, wide] },
      { name: 'deep', path: 'deep', value: deep },
      { name: 'wider', path: 'wider', value: { a: wide, b: wide, c: wide, d: wide, e: wide } },
    ]);
    expect(entries.length).toBeLessThanOrEqual(scopeLimits.entries);
    expect(entries.filter(({ path }) => path.startsWith('deep')).length).toBeGreaterThan(3);
    expect(scopeEntries([{ name: 'deep', path: 'deep', value: deep }])).toHaveLength(scopeLimits.depth + 1);
    expect(entries.find(({ path }) => path === 'wide[0]')?.hasMore).toBe(true);
    expect(entries.find(({ path }) => path === 'wide')?.hasMore).toBe(true);
  });
});

describe('the nodes that a node sees', () => {
  const body = {
    nodes: [node('in', 'set'), node('send', 'set'), node('after', 'set')],
    edges: chain('in', 'send', 'after'),
  };
  const graph = workflowGraphSchema.parse({
    nodes: [
      node('a', 'set'),
      node('b', 'set'),
      node('side', 'set'),
      node('each', 'for-each', { items: [], body }),
      node('z', 'set'),
    ],
    edges: [...chain('a', 'b', 'each', 'z'), { from: { trigger: 'x' }, to: 'a' }, ...chain('a', 'side')],
  });
  const seenBy = (path: string | null) => visibleNodes(graph, path)?.nodes.map(({ stepPath }) => stepPath);

  test('are those before it, also around its loop', () => {
    expect(seenBy('a')).toEqual([]);
    expect(seenBy('each')).toEqual(['a', 'b']);
    expect(seenBy('z')).toEqual(['a', 'b', 'each']);
    expect(seenBy('each/send')).toEqual(['a', 'b', 'each/0/in']);
    expect(visibleNodes(graph, 'each/send')?.lists.map(({ path }) => path)).toEqual(['each']);
    expect(visibleNodes(graph, 'each')?.lists).toEqual([]);
    expect(seenBy(null)).toEqual(['a', 'b', 'side', 'each', 'z']);
  });

  test('within nested loops are those of the given items, and of the first ones', () => {
    const inner = node('inner', 'for-each', {
      items: '{{ item.lines }}',
      body: {
        nodes: [node('x', 'set'), node('last', 'filter', { items: '{{ item.parts }}' })],
        edges: chain('x', 'last'),
      },
    });
    const nested = workflowGraphSchema.parse({
      nodes: [
        node('outer', 'for-each', {
          items: [],
          body: { nodes: [node('o', 'set'), inner], edges: chain('o', 'inner') },
        }),
      ],
      edges: [],
    });
    const seen = (items?: number[]) => visibleNodes(nested, 'outer/inner/last', items);
    expect(seen()?.nodes.map(({ stepPath }) => stepPath)).toEqual(['outer/0/o', 'outer/0/inner/0/x']);
    expect(seen([2])?.nodes.map(({ stepPath }) => stepPath)).toEqual(['outer/2/o', 'outer/2/inner/0/x']);
    expect(seen([2, 7, 1])?.nodes.map(({ stepPath }) => stepPath)).toEqual(['outer/2/o', 'outer/2/inner/7/x']);
    expect(seen()?.lists.map(({ path }) => path)).toEqual(['outer', 'outer/inner', 'outer/inner/last']);
  });

  test.each(['none', 'each/none', 'a/b', '', 'each/'])('are unknown for a node that is not there: %j', (path) => {
    expect(visibleNodes(graph, path)).toBeUndefined();
  });
});
