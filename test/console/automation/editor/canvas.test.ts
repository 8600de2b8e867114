import { describe, expect, test } from 'vitest';
import { elementsOf } from '#console/automation/editor/canvas/canvas-elements.ts';
import { neighbour } from '#console/automation/editor/canvas/neighbours.ts';
import { impliedEdges, placesOf } from '#console/automation/editor/canvas/places.ts';
import { sketchLines } from '#console/automation/editor/canvas/sketch-lines.ts';
import { fromText, toText } from '#console/automation/editor/form/config-value.ts';
import { readBlob } from '#console/automation/editor/model/blob.ts';
import { disconnect } from '#console/automation/editor/model/commands.ts';
import { branchesOf, headHeight, nodeWidth } from '#console/automation/editor/node-shape.ts';
import { orderGraph } from './model/graphs.ts';

const trigger = {
  id: 't',
  handle: 'shop',
  name: 'Shop',
  type: 'WEBHOOK',
  active: true,
  url: null,
  config: {},
  viewerCan: { fire: true, delete: true },
} as const;
const places = placesOf(orderGraph, ['shop']);

describe('the canvas', () => {
  test('draws a loop around its nodes, before them, and large enough for them', () => {
    const { nodes, edges } = elementsOf({
      graph: orderGraph,
      triggers: [trigger],
      definitions: new Map(),
      places: new Map([...places, ['each/get', { x: 16, y: 60 }], ['each/keep', { x: 260, y: 60 }]]),
      problems: new Map([['answer', 2]]),
      selected: new Set(['answer']),
    });
    expect(nodes.map(({ id, parentId }) => [id, parentId])).toEqual([
      ['note:n1', undefined],
      ['@shop', undefined],
      ['each', undefined],
      ['answer', undefined],
      ['each/get', 'each'],
      ['each/keep', 'each'],
    ]);
    expect(nodes[2]).toMatchObject({ width: 260 + 176 + 16, height: 60 + 44 + 16 });
    expect(nodes[3]).toMatchObject({ selected: true, data: { problems: 2 } });
    expect(edges.map(({ source, target }) => `${source} ${target}`).toSorted()).toEqual([
      '@shop each',
      'each answer',
      'each/get each/keep',
    ]);
    expect(edges.map(({ ariaLabel }) => `${ariaLabel}`).toSorted()).toEqual([
      'From Shop to each (default)',
      'From each to answer (default)',
      'From get to keep (default)',
    ]);
  });

  test('draws all edges of a look as one line when it is too small to point at one', () => {
    const at = new Map([...places, ['each', { x: 300, y: 100 }], ['each/get', { x: 16, y: 60 }]]);
    const { nodes, edges } = elementsOf({
      graph: orderGraph,
      triggers: [trigger],
      definitions: new Map(),
      places: at,
      problems: new Map(),
      selected: new Set(['edge:each.default>answer']),
    });
    const lines = sketchLines(nodes, edges);
    const beginnings = new Map([...lines].map(([look, line]) => [look, line.match(/M[\d.,-]+/g) ?? []]));
    // An edge within a loop begins where its node is drawn.
    expect(beginnings.get('')).toContain(`M${300 + 16 + nodeWidth + 4},${100 + 60 + headHeight / 2}`);
    expect(beginnings.get('')).toHaveLength(edges.length - 1);
    expect(beginnings.get(' selected')).toHaveLength(1);
  });

  test('shows what a trigger without edges starts, and places it to the left of that', () => {
    const graph = disconnect([{ from: '@shop', branch: 'default', to: 'each' }])(orderGraph);
    expect(impliedEdges(graph, ['shop'])).toEqual([{ from: '@shop', branch: 'default', to: 'each' }]);
    const left = placesOf(new Map([...graph].filter(([key]) => key !== 'place:@shop')), ['shop']).get('@shop');
    expect(left?.x).toBeLessThan(0);
  });

  test('is walked by arrows along its edges, and to what is above or below', () => {
    const at = new Map([
      ...places,
      ['each', { x: 200, y: 0 }],
      ['answer', { x: 400, y: 0 }],
      ['@shop', { x: 0, y: 80 }],
    ]);
    expect(neighbour(orderGraph, at, 'each', 'ArrowRight')).toBe('answer');
    expect(neighbour(orderGraph, at, 'each', 'ArrowLeft')).toBe('@shop');
    expect(neighbour(orderGraph, at, 'answer', 'ArrowRight')).toBeUndefined();
    expect(neighbour(orderGraph, at, '@shop', 'ArrowUp')).toBe('each');
    expect(neighbour(orderGraph, at, 'each', 'ArrowDown')).toBe('each/get');
    expect(neighbour(orderGraph, at, 'each/get', 'ArrowUp')).toBe('each');
  });

  test('lets edges leave along the branches of the definition, of the config, and of a failure', () => {
    const definition = { branches: ['default'], branchesFrom: 'cases' } as never;
    const unit = { node: 'core:switch', version: '1', config: { cases: [{ branch: 'big' }, 3] }, on_error: 'branch' };
    expect(branchesOf(unit, definition)).toEqual(['default', 'error', 'big']);
  });

  test('places every node of a graph that nobody has placed', () => {
    const graph = readBlob({
      nodes: [1, 2, 3].map((n) => ({ id: `n${n}`, node: 'core:set', version: '1' })),
      edges: [],
    });
    expect(new Set([...placesOf(graph, []).values()].map(({ x, y }) => `${x} ${y}`)).size).toBe(3);
  });
});

describe('a field of a config', () => {
  test.for([
    ['json', '{"a": "{{ nodes.x }}"}', { value: { a: '{{ nodes.x }}' } }],
    ['json', '{{ nodes.x.list }}', { value: '{{ nodes.x.list }}' }],
    ['json', '{"a": ', { fault: 'json' }],
    ['json', '"text"', { value: 'text' }],
    ['number', '12.5', { value: 12.5 }],
    ['number', '{{ nodes.x.count }}', { value: '{{ nodes.x.count }}' }],
    ['number', 'twelve', { fault: 'number' }],
    ['number', ' ', { value: undefined }],
    ['text', ' a ', { value: ' a ' }],
    ['text', '', { value: undefined }],
  ] as const)('of %s reads %j', ([writing, text, expected]) => {
    expect(fromText(text, writing)).toEqual(expected);
    const { value } = expected as { value?: unknown };
    if (value !== undefined) expect(fromText(toText(value, writing), writing)).toEqual(expected);
  });
});
