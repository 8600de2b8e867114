import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canRename, rename } from '#console/automation/editor/model/commands.ts';
import {
  type Graph,
  isWithin,
  joinPath,
  loopNode,
  loopOf,
  nodeAt,
  nodeKey,
  nodesOf,
} from '#console/automation/editor/model/graph.ts';
import { idsRead, nodeRead, renameInExpressions } from '#console/automation/editor/model/references.ts';

const anyId = fc.constantFrom('get', 'keep', 'send');

/** Loops three deep with the same few ids in each, whose nodes read any of these. */
const anyGraph: fc.Arbitrary<Graph> = fc
  .array(fc.record({ loops: fc.array(anyId, { maxLength: 2 }), id: anyId, reads: fc.array(anyId, { maxLength: 2 }) }))
  .map((drawn) => {
    const graph = new Map<string, unknown>();
    const add = (path: string, node: string, reads: readonly string[]) => {
      if (graph.has(nodeKey(path))) return;
      const value = reads.map((id) => `{{ nodes.${id}.outputs.body }}`).join(' and ');
      graph.set(nodeKey(path), { node, version: '1', config: { value } });
    };
    for (const { loops, id, reads } of drawn) {
      let loop = '';
      for (const inner of loops) add((loop = joinPath(loop, `in-${inner}`)), loopNode, reads);
      add(joinPath(loop, id), 'core:set', reads);
    }
    return graph;
  });

/** What each node reads: the paths of the nodes that its expressions name, and the ids that name none. */
const findReads = (graph: Graph, at: (path: string) => string): string[] =>
  [...nodesOf(graph)]
    .flatMap(([reader, unit]) =>
      [...idsRead(unit)].flatMap((id) => {
        const read = nodeRead(graph, reader, id);
        return read === undefined ? [] : [`${at(reader)} reads ${at(read)}`];
      }),
    )
    .toSorted();

describe('a node that is renamed', () => {
  test('is read by those who read it before, and nothing else is read otherwise, whichever loops have its id', () => {
    fc.assert(
      fc.property(anyGraph, fc.nat(50), fc.constantFrom('get', 'keep', 'other'), (graph, at, id) => {
        const paths = [...nodesOf(graph).keys()];
        const path = paths[at % Math.max(1, paths.length)];
        if (path === undefined || !canRename(graph, path, id)) return;
        const to = joinPath(loopOf(path), id);
        const moved = (each: string) =>
          each === path ? to : isWithin(each, path) ? to + each.slice(path.length) : each;
        const before = findReads(graph, moved);
        const after = findReads(rename(path, id)(graph), (each) => each);
        // A name that named no node may name this one now.
        expect(after.filter((read) => before.includes(read))).toEqual(before);
        expect(after.filter((read) => !before.includes(read) && !read.endsWith(` ${to}`))).toEqual([]);
        for (const [reader, unit] of nodesOf(graph)) {
          const isInScope = loopOf(path) === '' || isWithin(reader, loopOf(path));
          if (!isInScope) expect(nodeAt(rename(path, id)(graph), moved(reader))).toEqual(unit);
        }
      }),
    );
  });

  test('takes no id by which an expression in its scope would read another node', () => {
    const set = (value: string) => ({ node: 'core:set', version: '1', config: { value } });
    const each = { node: loopNode, version: '1', config: {} };
    const graph: Graph = new Map<string, unknown>([
      [nodeKey('get'), set('')],
      [nodeKey('each'), each],
      [nodeKey('each/keep'), set('')],
      [nodeKey('each/send'), set('{{ nodes.get.outputs }}')],
    ]);
    expect(canRename(graph, 'get', 'keep')).toBe(false);
    expect(canRename(graph, 'each/keep', 'get')).toBe(false);
    expect(canRename(graph, 'each/keep', 'each')).toBe(true);
    expect(rename('get', 'keep')(graph)).toBe(graph);
  });
});

test.each([
  ['nodes.get.outputs.body', 'nodes["get-it"].outputs.body'],
  ["nodes['get']?.outputs", 'nodes["get-it"]?.outputs'],
  ['order.nodes.get.outputs', 'order.nodes.get.outputs'],
  ['"{{ nodes.get.id }}"', '"{{ nodes.get.id }}"'],
])('code that reads %s of a renamed node reads %s', (code, renamed) => {
  const unit = { node: 'core:code', version: '1', config: { code } };
  expect(renameInExpressions(unit, (id) => (id === 'get' ? 'get-it' : undefined)).config).toEqual({ code: renamed });
});
