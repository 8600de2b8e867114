import fc from 'fast-check';
import { readBlob } from '#console/automation/editor/model/blob.ts';
import {
  addNode,
  type Command,
  configure,
  connect,
  disconnect,
  edit,
  freeId,
  insertOnEdge,
  pin,
  place,
  remove,
  rename,
  wrapInLoop,
} from '#console/automation/editor/model/commands.ts';
import { edgesOf, type Graph, joinPath, loopOf, nodesOf } from '#console/automation/editor/model/graph.ts';

/** A webhook, a loop over its lines with a request in it, and an answer. */
export const orderBlob = {
  version: 'v1',
  nodes: [
    {
      id: 'each',
      node: 'core:for-each',
      version: '1',
      position: { x: 200, y: 0 },
      config: {
        items: '{{ trigger.payload.lines }}',
        body: {
          nodes: [
            {
              id: 'get',
              node: 'core:http-request',
              version: '1',
              config: { url: 'https://erp.example/{{ item.sku }}' },
            },
            {
              id: 'keep',
              node: 'core:set',
              version: '1',
              config: { value: '{{ nodes.get.body }}' },
              on_error: 'continue',
            },
          ],
          edges: [{ from: { node: 'get', branch: 'default' }, to: 'keep' }],
        },
      },
    },
    {
      id: 'answer',
      node: 'core:respond',
      version: '1',
      position: { x: 400, y: 0 },
      config: { body: '{{ nodes.each.items }}' },
    },
  ],
  edges: [
    { from: { trigger: 'shop' }, to: 'each' },
    { from: { node: 'each', branch: 'default' }, to: 'answer' },
  ],
  settings: { concurrency: 4, timeout_ms: 60_000 },
  canvas: {
    notes: [{ id: 'n1', text: 'Lines', x: 0, y: 200, width: 160, height: 80 }],
    triggers: { shop: { x: 0, y: 0 } },
  },
};

export const orderGraph = readBlob(orderBlob);

const pickOne = <Value>(values: readonly Value[], at: number): Value | undefined =>
  values[at % Math.max(1, values.length)];

/** Commands as a user gives them: each chooses among what is in the graph when it comes to it. */
export const anyCommand: fc.Arbitrary<Command> = fc
  .record({
    kind: fc.integer({ min: 0, max: 9 }),
    one: fc.nat(50),
    other: fc.nat(50),
    text: fc.string({ maxLength: 5 }),
  })
  .map(({ kind, one, other, text }): Command => (graph) => {
    const paths = [...nodesOf(graph).keys()];
    const path = pickOne(paths, one) ?? 'none';
    const second = pickOne(paths, other) ?? 'none';
    const edge = pickOne(edgesOf(graph), one);
    const loop = loopOf(path);
    const unit = { node: 'core:set', version: '1', config: {} };
    const at = { x: one, y: other };
    const free = joinPath(loop, freeId(graph, loop, 'core:set'));
    const commands: Command[] = [
      addNode(free, unit, at),
      remove([path]),
      connect({ from: path, branch: 'default', to: second }),
      edge ? disconnect([edge]) : (same) => same,
      edge
        ? insertOnEdge(edge, joinPath(loopOf(edge.to), freeId(graph, loopOf(edge.to), 'core:set')), unit, at)
        : (same) => same,
      place(new Map([[path, at]])),
      configure(path, 'value', text),
      edit(path, { on_error: text === '' ? undefined : 'continue' }),
      other % 2 === 0
        ? rename(path, `r${one}`)
        : wrapInLoop([path, second], joinPath(loop, freeId(graph, loop, 'core:loop')), unit, new Map()),
      pin(path, other % 3 === 0 ? undefined : { text }),
    ];
    return commands[kind]?.(graph) ?? graph;
  });

/** The graph after the commands. */
export const perform = (graph: Graph, commands: readonly Command[]): Graph =>
  commands.reduce((next, command) => command(next), graph);
