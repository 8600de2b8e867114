import { describe, expect, test } from 'vitest';
import { readBlob, writeBlob } from '#console/automation/editor/model/blob.ts';
import { extract } from '#console/automation/editor/model/extract.ts';
import { find } from '#console/automation/editor/model/find.ts';
import { edgesOf, idOf, nodeAt, nodesOf, type NodeUnit } from '#console/automation/editor/model/graph.ts';

const branches = ({ node }: NodeUnit) => (node === 'core:if' ? ['true', 'false'] : ['default']);
const set = (id: string, value: string) => ({ id, node: 'core:set', version: '1', config: { values: { value } } });
const chain = (...ids: string[]) => ids.slice(1).map((to, index) => ({ from: { node: ids[index] }, to }));

/** What stands in the way of making a workflow of the nodes. */
function obstacles(blob: unknown, paths: readonly string[]): unknown {
  const result = extract(readBlob(blob), paths, 'sub', branches);
  return 'obstacles' in result ? result.obstacles : undefined;
}

describe('nodes that become a workflow of their own', () => {
  const blob = {
    nodes: [
      set('get-order', '{{ trigger.payload.id }}'),
      set('price', '{{ nodes.get-order.outputs.value & trigger.payload.currency & "nodes.get-order.outputs" }}'),
      set('tax', '{{ nodes.price.outputs.value * 0.19 }}'),
      set('answer', '{{ {"a": {"b": nodes.price.outputs.value}} }} of {{ nodes.get-order.outputs.value }}'),
    ],
    edges: chain('get-order', 'price', 'tax', 'answer'),
    state: { namespaces: [{ name: 'orders', access: 'read' }] },
  };

  test('are given what they read from outside, and answer with what others read of them', () => {
    const graph = readBlob(blob);
    const result = extract(graph, ['price', 'tax'], 'sub', branches);
    if ('obstacles' in result) throw new Error(JSON.stringify(result.obstacles));
    expect(result.payload).toEqual({
      get_order: '{{ nodes.get-order.outputs }}',
      payload: '{{ trigger.payload }}',
    });
    expect(result.blob).toMatchObject({
      state: blob.state,
      nodes: [
        set(
          'price',
          '{{ trigger.payload.get_order.value & trigger.payload.payload.currency & "nodes.get-order.outputs" }}',
        ),
        set('tax', '{{ nodes.price.outputs.value * 0.19 }}'),
        { id: 'respond', node: 'core:respond', config: { value: { price: '{{ nodes.price.outputs }}' } } },
      ],
      edges: [
        { from: { node: 'price' }, to: 'tax' },
        { from: { node: 'tax' }, to: 'respond' },
      ],
    });
    const replaced = result.replace(7)(graph);
    expect([...nodesOf(replaced).keys()].toSorted()).toEqual(['answer', 'get-order', 'sub']);
    expect(nodeAt(replaced, 'sub')?.config).toEqual({ workflow_id: 7, payload: result.payload });
    expect(nodeAt(replaced, 'answer')?.config).toEqual({
      values: {
        value: '{{ {"a": {"b": nodes.sub.outputs.result.price.value}} }} of {{ nodes.get-order.outputs.value }}',
      },
    });
    expect(edgesOf(replaced).map(({ from, to }) => `${from} ${to}`)).toEqual(['get-order sub', 'sub answer']);
    expect(readBlob(writeBlob(replaced))).toEqual(replaced);
  });

  test('in a loop are given its item', () => {
    const body = { nodes: [set('one', '{{ item.sku }}'), set('two', 'x')], edges: chain('one', 'two') };
    const graph = readBlob({
      nodes: [{ id: 'each', node: 'core:for-each', version: '1', config: { items: [], body } }],
      edges: [],
    });
    const result = extract(graph, ['each/one'], 'each/sub', branches);
    if ('obstacles' in result) throw new Error(JSON.stringify(result.obstacles));
    expect(result.payload).toEqual({ item: '{{ item }}' });
    expect(result.blob).toMatchObject({ nodes: [set('one', '{{ trigger.payload.item.sku }}')] });
  });

  test.for([
    ['{{ $keys(nodes) }}', '$keys(nodes)'],
    ['{{ $lookup(nodes, "get") }}', '$lookup(nodes, "get")'],
    ['{{ $eval("1") }}', '$eval("1")'],
  ])('are refused where an expression reads %s', ([value = '', source = '']) => {
    const nodes = [set('a', 'x'), set('b', value)];
    expect(obstacles({ nodes, edges: chain('a', 'b') }, ['b'])).toEqual([
      { kind: 'expression', path: 'b', field: 'values', source },
    ]);
  });

  test('are refused where one answers the caller, or waits for others too, or goes on along one of two branches', () => {
    const nodes = [
      set('a', 'x'),
      { id: 'if', node: 'core:if', version: '1', config: { condition: 'true' } },
      set('b', 'x'),
      { id: 'answer', node: 'core:respond', version: '1', config: { value: 1 } },
    ];
    const edges = [...chain('a', 'if'), { from: { node: 'if', branch: 'true' }, to: 'b' }, ...chain('b', 'answer')];
    expect(obstacles({ nodes, edges }, ['answer'])).toEqual([{ kind: 'responds', path: 'answer' }]);
    expect(obstacles({ nodes, edges }, ['a', 'if'])).toEqual([{ kind: 'branches', path: 'if' }]);
    expect(obstacles({ nodes, edges }, ['if', 'b'])).toEqual([{ kind: 'branches', path: 'b' }]);
    expect(obstacles({ nodes, edges: [...edges, ...chain('a', 'b')] }, ['if', 'b'])).toContainEqual({
      kind: 'joins',
      path: 'b',
    });
    expect(obstacles({ nodes, edges }, ['a', 'b'])).toContainEqual({ kind: 'between', path: 'if' });
  });
});

test('nodes are found by their ids, kinds, and what is in their configs', () => {
  const items = [...nodesOf(readBlob({ nodes: [set('one', '{{ item.sku }}'), set('two', 'x')], edges: [] }))].map(
    ([path, unit]) => ({ path, name: idOf(path), kind: 'Set values', unit }),
  );
  expect(find(items, 'TWO')).toEqual([{ path: 'two', name: 'two' }]);
  expect(find(items, 'item.sku')).toEqual([{ path: 'one', name: 'one', field: 'values' }]);
  expect(find(items, 'set values')).toHaveLength(2);
  expect(find(items, ' ')).toEqual([]);
});
