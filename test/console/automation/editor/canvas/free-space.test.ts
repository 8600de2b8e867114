import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addAfter, addAt, addInto, type Canvas } from '#console/automation/editor/canvas/add-node.ts';
import { boxesIn, isNear } from '#console/automation/editor/canvas/boxes.ts';
import { lowest, placeBelow } from '#console/automation/editor/canvas/free-space.ts';
import { arrange, nodeHeights, placesOf } from '#console/automation/editor/canvas/places.ts';
import { readBlob } from '#console/automation/editor/model/blob.ts';
import { place } from '#console/automation/editor/model/commands.ts';
import {
  edgesOf,
  type Graph,
  loopNode,
  loopOf,
  nodeAt,
  nodesOf,
  placeAt,
} from '#console/automation/editor/model/graph.ts';
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

test('a copy stands below what was copied, and below what is there', () => {
  const graph = loneLoop(300);
  const { height } = boxesIn(drawGraph(graph), '').get('each') ?? { height: 0 };
  expect(placeBelow(drawGraph(graph), '', ['each'])).toEqual({ x: 0, y: height + 24 });
  expect(placeBelow(drawGraph(graph), '', [])).toBeUndefined();
});

test('the lower end of a graph is that of its lowest node or note', () => {
  expect([lowest(drawGraph(withNote(0, 400)), ''), lowest(drawGraph(loneLoop(0)), 'each')]).toEqual([500, 60 + 44]);
});
