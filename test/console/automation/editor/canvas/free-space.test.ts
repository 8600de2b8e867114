import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addAfter, addAt, addInto, type Canvas } from '#console/automation/editor/canvas/add-node.ts';
import { boxesIn, isNear } from '#console/automation/editor/canvas/boxes.ts';
import { lowest, placeBelow } from '#console/automation/editor/canvas/free-space.ts';
import { pasteInto } from '#console/automation/editor/canvas/paste-into.ts';
import { arrange, nodeHeights, placesOf } from '#console/automation/editor/canvas/places.ts';
import { closeTogether, wrapNodes } from '#console/automation/editor/canvas/wrap.ts';
import { readBlob } from '#console/automation/editor/model/blob.ts';
import { copy } from '#console/automation/editor/model/clipboard.ts';
import { place } from '#console/automation/editor/model/commands.ts';
import {
  edgesOf,
  type Graph,
  idOf,
  joinPath,
  loopNode,
  loopOf,
  nodeAt,
  nodesOf,
  placeAt,
} from '#console/automation/editor/model/graph.ts';
import { readPaste } from '#console/automation/editor/model/read-paste.ts';
import type { Definition, Definitions } from '#console/automation/editor/node-shape.ts';
import { orderGraph } from '#test/console/automation/editor/model/graphs.ts';

const define = (slug: string, branches = ['default']) =>
  ({ slug, name: slug, version: '1.0.0', branches, branchesFrom: null, fields: [] }) as unknown as Definition;
const setNode = define('core:set');
const palette = [setNode, define('core:if', ['true', 'false']), define(loopNode)];
const definitions: Definitions = new Map(palette.map((each) => [each.slug, each]));

function drawGraph(graph: Graph): Canvas {
  const heights = nodeHeights(graph, definitions);
  return { graph, definitions, heights, places: placesOf(graph, ['shop'], heights) };
}

/** Pairs of nodes and triggers of one loop that lie on each other. */
function overlaps(graph: Graph): string[] {
  const loops = ['', ...[...nodesOf(graph)].filter(([, { node }]) => node === loopNode).map(([path]) => path)];
  return loops.flatMap((loop) => {
    const boxes = [...boxesIn(drawGraph(graph), loop)];
    return boxes.flatMap(([path, box], at) =>
      boxes.slice(at + 1).flatMap(([other, otherBox]) => (isNear(box, otherBox) ? [`${path} ${other}`] : [])),
    );
  });
}

const anyAdded = fc.record({
  kind: fc.nat(2),
  at: fc.nat(40),
  where: fc.constantFrom('after', 'edge', 'drop'),
  x: fc.integer({ min: -50, max: 1_000 }),
  y: fc.integer({ min: -50, max: 300 }),
});

/** Adds a node as a user does, and returns the graph. */
function add(graph: Graph, { kind, at, where, x, y }: typeof anyAdded extends fc.Arbitrary<infer Each> ? Each : never) {
  const canvas = drawGraph(graph);
  const definition = palette[kind] ?? setNode;
  const paths = [...nodesOf(graph).keys()];
  const path = paths[at % (paths.length + 1)];
  const edges = edgesOf(graph);
  const edge = edges[at % Math.max(1, edges.length)];
  const around = path === undefined ? '' : loopOf(path);
  const loop = path !== undefined && nodeAt(graph, path)?.node === loopNode ? path : around;
  const added =
    where === 'drop'
      ? addAt(canvas, definition, { loop, point: { x, y } })
      : where === 'edge' && edge
        ? addInto(canvas, definition, edge)
        : addAfter(canvas, definition, { loop: around, after: path });
  return added.command(graph);
}

const start = place(arrange(orderGraph, ['shop'], nodeHeights(orderGraph, definitions)))(orderGraph);

const loneLoop = (x: number) =>
  readBlob({
    nodes: [
      {
        id: 'each',
        node: loopNode,
        version: '1',
        position: { x: 0, y: 0 },
        config: {
          body: { nodes: [{ id: 'far', node: 'core:set', version: '1', config: {}, position: { x, y: 60 } }] },
        },
      },
    ],
    edges: [],
  });

const withNote = (x: number, y: number) =>
  readBlob({
    nodes: [{ id: 'a', node: 'core:set', version: '1', config: {}, position: { x: 0, y: 0 } }],
    canvas: { notes: [{ id: 'n', text: 'Here', x, y, width: 200, height: 100 }] },
  });

describe('a node that is added', () => {
  test('lies on no other wherever it is added, and makes no others lie on each other', () => {
    fc.assert(
      fc.property(fc.array(anyAdded, { maxLength: 12 }), (added) => {
        let graph = start;
        for (const each of added) {
          const next = add(graph, each);
          expect(nodesOf(next).size).toBe(nodesOf(graph).size + 1);
          expect(overlaps(next)).toEqual([]);
          graph = next;
        }
      }),
      { numRuns: 150 },
    );
  });

  test.each([
    [16, 16 + 176 + 16 + 72],
    [900, 900 + 176 + 16 + 72],
  ])('after a loop whose last node is at %i stands right of it', (x, expected) => {
    const graph = loneLoop(x);
    const { command } = addAfter(drawGraph(graph), setNode, { loop: '', after: 'each' });
    expect(placeAt(command(graph), 'set')).toEqual({ x: expected, y: 0 });
  });

  test.each([
    ['far from it', 200, 500, 0],
    ['in its place', 200, 20, 144],
    ['that is behind nodes', 100, 20, 0],
  ])('covers no note %s', (_, x, y, expected) => {
    const graph = withNote(x, y);
    const { command } = addAfter(drawGraph(graph), setNode, { loop: '', after: 'a' });
    expect(placeAt(command(graph), 'set')?.y).toBe(expected);
  });
});

/** The paths of some nodes of one loop, chosen by numbers. */
function chooseNodes(graph: Graph, at: readonly number[]): string[] {
  const paths = [...nodesOf(graph).keys()];
  const loop = loopOf(paths[(at[0] ?? 0) % paths.length] ?? '');
  const beside = paths.filter((path) => loopOf(path) === loop);
  return [...new Set(at.map((each) => beside[each % beside.length] ?? ''))];
}

const someAdded = fc.array(anyAdded, { maxLength: 8 });
const someNodes = fc.array(fc.nat(40), { minLength: 1, maxLength: 4 });
const drawSome = (added: readonly Parameters<typeof add>[1][]): Graph => added.reduce(add, start);

test('pasted nodes lie on no others wherever they are pasted, and make no others lie on each other', () => {
  const anyPaste = fc.record({ added: someAdded, copied: someNodes, where: fc.nat(40), hasPlaces: fc.boolean() });
  fc.assert(
    fc.property(anyPaste, fc.integer({ min: -50, max: 900 }), ({ added, copied, where, hasPlaces }, x) => {
      const graph = drawSome(added);
      const read = readPaste(copy(graph, chooseNodes(graph, copied), () => []));
      if ('fault' in read) throw new Error(read.fault);
      const part = hasPlaces ? read.part : new Map([...read.part].filter(([key]) => !key.startsWith('place:')));
      const loops = ['', ...[...nodesOf(graph)].flatMap(([path, { node }]) => (node === loopNode ? [path] : []))];
      const loop = loops[where % loops.length] ?? '';
      const { paths, command } = pasteInto(drawGraph(graph), part, { loop, at: { x, y: x / 3 } });
      const next = command(graph);
      expect(nodesOf(next).size).toBe(nodesOf(graph).size + nodesOf(part).size);
      expect(paths.map(loopOf)).toEqual(paths.map(() => loop));
      expect(overlaps(next)).toEqual([]);
    }),
    { numRuns: 150 },
  );
});

test('a pasted circle is laid out without the edge that closes it', () => {
  const nodes = ['a', 'b'].map((id) => ({ id, node: 'core:set', version: '1', config: {} }));
  const circle = ['a', 'b'].map((id) => ({ from: { node: id }, to: id === 'a' ? 'b' : 'a' }));
  const empty = drawGraph(new Map());
  const { leftOut, command } = pasteInto(empty, readBlob({ nodes, edges: circle }), { loop: '', at: { x: 0, y: 0 } });
  expect(leftOut).toBe(1);
  expect(['a', 'b'].map((id) => placeAt(command(new Map()), id)?.x)).toEqual([0, 176 + 72]);
});

describe('nodes that are wrapped in a loop', () => {
  const boxes = (graph: Graph, loop: string) => boxesIn(drawGraph(graph), loop);

  test('keep their order close together, and nothing lies on anything', () => {
    fc.assert(
      fc.property(someAdded, someNodes, (added, chosen) => {
        const graph = drawSome(added);
        const paths = chooseNodes(graph, chosen);
        const loop = joinPath(loopOf(paths[0] ?? ''), 'wrapped');
        const next = wrapNodes(drawGraph(graph), paths, loop)(graph);
        expect(overlaps(next)).toEqual([]);
        const before = boxes(graph, loopOf(loop));
        const inner = boxes(next, loop);
        expect(inner.size).toBe(paths.length);
        const all = paths.map((path) => ({ old: before.get(path), now: inner.get(`${loop}/${idOf(path)}`) }));
        for (const { old, now } of all)
          for (const other of all)
            for (const axis of ['x', 'y'] as const)
              if ((old?.[axis] ?? 0) <= (other.old?.[axis] ?? 0))
                expect(now?.[axis] ?? 0).toBeLessThanOrEqual(other.now?.[axis] ?? 0);
        const widths = [...inner.values()].reduce((sum, { width }) => sum + width + 72, 0);
        expect(boxes(next, loopOf(loop)).get(loop)?.width).toBeLessThanOrEqual(widths - 72 + 2 * 16);
      }),
      { numRuns: 150 },
    );
  });

  test('that were far from each other make a loop as wide as both and a gap', () => {
    const far = readBlob({
      nodes: [0, 5_000].map((x) => ({
        id: `at-${x}`,
        node: 'core:set',
        version: '1',
        config: {},
        position: { x, y: x },
      })),
    });
    const wrapped = wrapNodes(drawGraph(far), ['at-0', 'at-5000'], 'each')(far);
    expect(boxes(wrapped, '').get('each')).toMatchObject({ x: 0, y: 0, width: 2 * 176 + 72 + 2 * 16 });
    expect(placeAt(wrapped, 'each/at-5000')).toEqual({ x: 16 + 176 + 72, y: 60 + 44 + 24 });
  });

  test('that lay on each other do not in the loop', () => {
    const box = { x: 300, y: 300, width: 176, height: 44 };
    const close = closeTogether(new Map(['a', 'b', 'c'].map((path) => [path, box])));
    expect([...close.values()]).toEqual([60, 128, 196].map((y) => ({ x: 16, y })));
  });
});

test('arranged nodes lie on no others, loops with nothing in them included', () => {
  fc.assert(
    fc.property(someAdded, (added) => {
      const graph = drawSome(added);
      expect(overlaps(place(arrange(graph, ['shop'], nodeHeights(graph, definitions)))(graph))).toEqual([]);
    }),
  );
});

test('a copy stands below what was copied, and below what is there', () => {
  const graph = loneLoop(300);
  const { height } = boxesIn(drawGraph(graph), '').get('each') ?? { height: 0 };
  expect(placeBelow(drawGraph(graph), '', ['each'])).toEqual({ x: 0, y: height + 24 });
  expect(placeBelow(drawGraph(graph), '', [])).toBeUndefined();
});

test('the lower end of a graph is that of its lowest node or note', () => {
  expect([lowest(drawGraph(withNote(0, 400)), ''), lowest(drawGraph(loneLoop(0)), 'each')]).toEqual([500, 60 + 44]);
});
