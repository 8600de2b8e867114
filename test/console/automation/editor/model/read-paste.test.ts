import { expect, test } from 'vitest';
import { inOutWords } from '#console/automation/editor/in-out/in-out.words.ts';
import { readBlob } from '#console/automation/editor/model/blob.ts';
import { difference } from '#console/automation/editor/model/changes.ts';
import { copyWhole, paste } from '#console/automation/editor/model/clipboard.ts';
import { rename } from '#console/automation/editor/model/commands.ts';
import { edgesOf, nodeAt, nodesOf } from '#console/automation/editor/model/graph.ts';
import { readPaste } from '#console/automation/editor/model/read-paste.ts';
import { orderGraph } from './graphs.ts';

const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;

const manyNodes = (count: number) => Array.from({ length: count }, (_, id) => ({ id: `n${id}`, node: 'core:set' }));

test.for([
  ['a text', 'hello', 'not-json'],
  ['an n8n workflow', '{"nodes":[{"type":"n8n-nodes-base.set","name":"Set"}],"connections":{}}', 'n8n'],
  ['a Node-RED flow', '[{"id":"a1","type":"tab"},{"id":"b2","type":"inject","wires":[["c3"]]}]', 'node-red'],
  ['JSON of another tool', '{"steps":[]}', 'other-tool'],
  ['five megabytes', `"${'x'.repeat(5_000_000)}"`, 'too-large'],
  ['a hundred thousand levels', nested(100_000), 'too-deep'],
  ['three thousand nodes', JSON.stringify({ nodes: manyNodes(3_000) }), 'too-many'],
  ['nodes without ids', '{"nodes":[{"id":"","node":"core:set"},{"id":"a/b","node":"core:set"}]}', 'bad-ids'],
  ['two nodes with one id', '{"nodes":[{"id":"a","node":"core:set"},{"id":"a","node":"core:if"}]}', 'bad-ids'],
  ['a graph without nodes', '{"nodes":[],"edges":[]}', 'empty'],
] as const)('%s is refused with a sentence that says what it is', ([, text, fault]) => {
  expect(readPaste(text)).toEqual({ fault });
  expect(inOutWords[fault]('orders.json')).toMatch(/orders\.json.*\.$/);
});

test('a workflow that is taken out and in again is the same but for its credentials, also in loops', () => {
  const graph = new Map(orderGraph).set('node:each/get', {
    node: 'core:http-request',
    version: '1',
    config: { url: '/', auth: '{{ trigger.payload.credential }}', old_credential: 17 },
  });
  const credentials = ({ config }: { config: object }) =>
    Object.keys(config).filter((key) => /auth|credential/.test(key));
  const text = copyWhole(graph, 'Orders', credentials);
  expect(text).not.toMatch(/credential|auth|17/);
  const read = readPaste(text);
  if (!('part' in read) || !read.whole) throw new Error('It is a whole workflow.');
  expect(difference(graph, read.whole).map(({ key, to }) => [key, to])).toEqual([
    ['node:each/get', { node: 'core:http-request', version: '1', config: { url: '/' } }],
  ]);
});

/** The graph after a text has been pasted into an empty one. */
function pasteInto(value: unknown) {
  const read = readPaste(typeof value === 'string' ? value : JSON.stringify(value));
  if (!('part' in read)) throw new Error(read.fault);
  return paste(new Map(), read.part, { loop: '', at: { x: 0, y: 0 } });
}

test('a graph that branches and joins forty times is pasted, though nobody could count its ways', () => {
  const nodes = Array.from({ length: 41 }, (_, at) => [`a${at}`, `b${at}`]).flat();
  const edges = Array.from({ length: 40 }, (_, at) =>
    ['a', 'b'].flatMap((from) => ['a', 'b'].map((to) => ({ from: { node: `${from}${at}` }, to: `${to}${at + 1}` }))),
  ).flat();
  const pasted = pasteInto({ nodes: nodes.map((id) => ({ id, node: 'core:set', version: '1' })), edges });
  expect([nodesOf(pasted.graph).size, edgesOf(pasted.graph).length, pasted.leftOut]).toEqual([82, 160, 0]);
});

test('of a circle, the edge that closes it is left out', () => {
  const nodes = ['a', 'b', 'c'].map((id) => ({ id, node: 'core:set', version: '1' }));
  const edges = [
    ['a', 'b'],
    ['b', 'c'],
    ['c', 'a'],
    ['b', 'b'],
  ].map(([node, to]) => ({ from: { node }, to }));
  const pasted = pasteInto({ nodes, edges });
  expect(edgesOf(pasted.graph).map(({ from, to }) => from + to)).toEqual(['ab', 'bc']);
  expect(pasted.leftOut).toBe(2);
});

test('a number keeps its digits when it is pasted, and when its node is given another name', () => {
  const text =
    '{"nodes":[{"id":"a","node":"core:set","version":"1","config":{"values":{"gtin":12345678901234567890}}}]}';
  const { graph } = pasteInto(text);
  expect(JSON.stringify(nodeAt(rename('a', 'b')(graph), 'b')?.config)).toBe('{"values":{"gtin":12345678901234567890}}');
});

test('a draft that holds anything is read as what can be drawn', () => {
  const body = { nodes: [{ id: '' }, { id: 'a/b' }, null, { id: 'kept', node: 5, version: ['x'] }] };
  const graph = readBlob({
    nodes: [
      { id: 'loop', node: 'core:for-each', config: { body }, position: { x: 1e308, y: 0 } },
      { id: 'odd', node: { a: 1 } },
    ],
    canvas: { notes: [{ id: 'n', text: 5 }, { id: 'm' }] },
  });
  expect([...graph]).toEqual([
    ['node:loop', { node: 'core:for-each', config: {} }],
    ['node:loop/kept', { node: '5', version: '["x"]', config: {} }],
    ['node:odd', { node: '{"a":1}', config: {} }],
  ]);
});
