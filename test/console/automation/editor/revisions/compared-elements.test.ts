import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addNode, connect, remove } from '#console/automation/editor/model/commands.ts';
import { nodesOf } from '#console/automation/editor/model/graph.ts';
import { followRenames } from '#console/automation/editor/model/renamed.ts';
import { compareGraphs } from '#console/automation/editor/revisions/compared-elements.ts';
import { anyCommand, orderGraph, perform } from '#test/console/automation/editor/model/graphs.ts';

const sides = { triggers: [], definitions: new Map() };

test('two graphs are drawn as one, in which what was added, removed and changed is marked', () => {
  const unit = { node: 'core:set', version: '1', config: {} };
  const to = [
    remove(['answer']),
    addNode('log', unit, { x: 400, y: 0 }),
    connect({ from: 'each', branch: 'default', to: 'log' }),
  ].reduce((graph, command) => command(graph), orderGraph);
  const { nodes, edges } = compareGraphs({ from: orderGraph, to, ...sides });
  const marks = Object.fromEntries(nodes.map(({ id, className }) => [id, className]));
  expect(marks).toMatchObject({ answer: 'is-removed', log: 'is-added', each: undefined });
  expect(edges.map(({ target, className }) => [target, className])).toEqual(
    expect.arrayContaining([
      ['answer', 'is-removed'],
      ['log', 'is-added'],
    ]),
  );
  // They would cover each other.
  const [answer, log] = ['answer', 'log'].map((path) => nodes.find(({ id }) => id === path)?.position);
  expect(answer).not.toEqual(log);
});

test('every node of both graphs is drawn once, whatever was done', () => {
  const someCommands = fc.array(anyCommand, { maxLength: 20 });
  fc.assert(
    fc.property(someCommands, someCommands, (one, other) => {
      const [from, to] = [perform(orderGraph, one), perform(orderGraph, other)];
      const { nodes, summary } = compareGraphs({ from, to, ...sides });
      const drawn = nodes.filter(({ type }) => type === 'step').map(({ id }) => id);
      // A node that was renamed is one.
      const before = followRenames(from, to).graph;
      expect(new Set(drawn)).toEqual(new Set([...nodesOf(before).keys(), ...nodesOf(to).keys()]));
      expect(drawn.length).toBe(new Set(drawn).size);
      expect(nodes.filter(({ type, className }) => type === 'step' && className).length).toBe(summary.nodes.length);
    }),
  );
});
