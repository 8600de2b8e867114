import { expect, test } from 'vitest';
import { testedGraph } from '#console/automation/runs/tested-graph.ts';

const edge = (node: string, to: string) => ({ from: { node, branch: 'default' }, to });

test('the graph of a blob has the nodes and edges of its loops, and the names of its triggers', () => {
  const inner = { nodes: [{ id: 'get' }, { id: 'send' }], edges: [edge('get', 'send')] };
  const blob = {
    nodes: [{ id: 'map' }, { id: 'each', config: { body: inner } }],
    edges: [{ from: { trigger: 'h1' }, to: 'map' }, { from: { trigger: 'gone' }, to: 'map' }, edge('map', 'each')],
  };
  const { nodes, edges } = testedGraph(blob, [{ handle: 'h1', name: 'Orders' }]);
  expect(nodes.map(({ path }) => path)).toEqual(['map', 'each', 'each/get', 'each/send']);
  expect(edges).toEqual([
    { from: null, to: 'map', branch: null, triggerHandle: 'h1', trigger: { name: 'Orders' } },
    { from: null, to: 'map', branch: null, triggerHandle: 'gone', trigger: null },
    { from: 'map', to: 'each', branch: 'default', triggerHandle: null, trigger: null },
    { from: 'each/get', to: 'each/send', branch: 'default', triggerHandle: null, trigger: null },
  ]);
});

test.each([null, 'text', [], { nodes: 'none', edges: [{}] }])('a value that is no blob has no nodes: %j', (blob) => {
  expect(testedGraph(blob, []).nodes).toEqual([]);
});
