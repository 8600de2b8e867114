import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readBlob, writeBlob } from '#console/automation/editor/model/blob.ts';
import { apply, difference } from '#console/automation/editor/model/changes.ts';
import { copy, paste } from '#console/automation/editor/model/clipboard.ts';
import { changesOf, leadsTo, pin, remove, rename, wrapInLoop } from '#console/automation/editor/model/commands.ts';
import { readDraft, writeDraft } from '#console/automation/editor/model/draft.ts';
import {
  edgesOf,
  type Graph,
  isTrigger,
  loopOf,
  nodeAt,
  nodesOf,
  pinsOf,
} from '#console/automation/editor/model/graph.ts';
import { emptyHistory, record, redo, undo } from '#console/automation/editor/model/history.ts';
import { decide, merge, withoutTorn } from '#console/automation/editor/model/merge.ts';
import { readPaste } from '#console/automation/editor/model/read-paste.ts';
import { anyCommand, orderBlob, orderGraph, perform } from './graphs.ts';

const someCommands = fc.array(anyCommand, { maxLength: 25 });

/** Each edge joins nodes of one loop, no edges form a circle, and each node's loop is there. */
function expectValid(graph: Graph): void {
  for (const { from, to } of edgesOf(graph)) {
    expect(nodeAt(graph, to)).toBeDefined();
    if (isTrigger(from)) expect(loopOf(to)).toBe('');
    else {
      expect(nodeAt(graph, from)).toBeDefined();
      expect(loopOf(from)).toBe(loopOf(to));
      expect(leadsTo(graph, to, from)).toBe(false);
    }
  }
  for (const path of nodesOf(graph).keys()) {
    const loop = loopOf(path);
    if (loop !== '') expect(nodeAt(graph, loop)?.node).toBe('core:for-each');
  }
}

describe('the graph of the editor', () => {
  test('is written as it was read', () => {
    expect(writeBlob(orderGraph)).toEqual(orderBlob);
  });

  test('is the same after it was written and read, whatever was done to it', () => {
    fc.assert(
      fc.property(someCommands, (commands) => {
        const graph = perform(orderGraph, commands);
        expect(difference(graph, readDraft(writeDraft(graph)))).toEqual([]);
      }),
    );
  });

  test('stays valid, whatever is done to it', () => {
    fc.assert(fc.property(someCommands, (commands) => expectValid(perform(orderGraph, commands))));
  });

  test('is as it was after all that was done is undone, and as it became after all is done again', () => {
    fc.assert(
      fc.property(someCommands, (commands) => {
        let graph = orderGraph;
        let history = emptyHistory;
        for (const [at, command] of commands.entries()) {
          const changes = changesOf(graph, command);
          graph = apply(graph, changes);
          history = record(history, { label: 'Edit', changes, at: at * 400, kind: at % 3 === 0 ? 'type' : 'other' });
        }
        const end = graph;
        for (let back = undo(history, graph); back; back = undo(history, graph)) {
          expect(back.kept).toBe(0);
          ({ graph, history } = back);
        }
        expect(difference(orderGraph, graph)).toEqual([]);
        for (let again = redo(history, graph); again; again = redo(history, graph)) ({ graph, history } = again);
        expect(difference(end, graph)).toEqual([]);
      }),
    );
  });

  test('has its nodes in the order that they had after it was replaced and that is undone', () => {
    const other = readBlob({ nodes: [{ id: 'other', node: 'core:set', version: '1', config: {} }], edges: [] });
    const changes = difference(orderGraph, other);
    const history = record(emptyHistory, { label: 'Replace', changes, at: 0 });
    expect(writeBlob(undo(history, other)?.graph ?? other)).toEqual(orderBlob);
  });

  test('keeps what another has changed between two steps that are undone as one', () => {
    const step = (from: number, to: number) => ({
      label: 'Type',
      kind: 'type',
      at: 0,
      changes: [{ key: 'node:answer', from, to }],
    });
    const history = record(record(emptyHistory, step(1, 2)), step(3, 4));
    expect(undo(history, new Map([['node:answer', 4]]))?.graph.get('node:answer')).toBe(3);
  });
});

describe('pinned outputs', () => {
  const pinned = pin('each/get', { body: 1 })(orderGraph);

  test('are in the draft, and in no blob', () => {
    expect(writeDraft(pinned)).toEqual({ blob: orderBlob, pins: { 'each/get': { body: 1 } } });
  });

  test('follow their node to its new name and into a loop, and go with it', () => {
    const named = rename('each', 'lines')(pinned);
    expect([...pinsOf(named).keys()]).toEqual(['lines/get']);
    const unit = { node: 'core:for-each', version: '1', config: {} };
    expect([...pinsOf(wrapInLoop(['lines'], 'outer', unit, new Map())(named)).keys()]).toEqual(['outer/lines/get']);
    expect(pinsOf(remove(['each'])(pinned)).size).toBe(0);
  });

  test('of a node that another edit has removed are left out', () => {
    const { graph, conflicts } = merge(orderGraph, pinned, remove(['each'])(orderGraph));
    expect(conflicts).toEqual([]);
    expect(pinsOf(withoutTorn(graph)).size).toBe(0);
  });
});

describe('two edits of one graph', () => {
  test('are both kept where they do not touch', () => {
    fc.assert(
      fc.property(someCommands, someCommands, (one, other) => {
        const mine = perform(orderGraph, one);
        const theirs = perform(orderGraph, other);
        const { graph, conflicts } = merge(orderGraph, mine, theirs);
        const disputed = new Set(conflicts.map(({ key }) => key));
        for (const { key, to } of difference(orderGraph, mine)) {
          expect(graph.get(key)).toEqual(to);
        }
        for (const { key, to } of difference(orderGraph, theirs))
          if (!disputed.has(key)) expect(graph.get(key)).toEqual(to);
      }),
    );
  });

  test('end with the same graph on both sides once each has decided alike', () => {
    fc.assert(
      fc.property(someCommands, someCommands, (one, other) => {
        const mine = perform(orderGraph, one);
        const theirs = perform(orderGraph, other);
        const here = merge(orderGraph, mine, theirs);
        const there = merge(orderGraph, theirs, mine);
        expect(here.conflicts.length).toBe(there.conflicts.length);
        const left = decide(here.graph, here.conflicts, () => 'mine');
        const right = decide(there.graph, there.conflicts, () => 'theirs');
        expect(difference(left, right)).toEqual([]);
      }),
    );
  });

  test('can be undone without taking back what the other has changed since', () => {
    const changes = [{ key: 'node:answer', from: 1, to: 2 }];
    const history = record(emptyHistory, { label: 'Edit', changes, at: 0 });
    const merged: Graph = new Map([['node:answer', 3]]);
    expect(undo(history, merged)).toMatchObject({ graph: merged, kept: 1 });
  });
});

describe('copied nodes', () => {
  const credentialFields = () => ['credential'];

  test('are pasted into any graph, which stays valid', () => {
    fc.assert(
      fc.property(someCommands, someCommands, fc.nat(50), (one, other, at) => {
        const from = perform(orderGraph, one);
        const into = perform(orderGraph, other);
        const paths = [...nodesOf(from).keys()].filter((path) => loopOf(path) === '');
        const taken = paths.slice(0, 1 + (at % 4));
        if (taken.length === 0) return;
        const pasted = readPaste(copy(from, taken, credentialFields));
        if ('fault' in pasted) throw new Error(pasted.fault);
        const result = paste(into, pasted.part, { loop: '', at: { x: 5, y: 6 } });
        expect(result.paths.length).toBe(taken.length);
        expect(nodesOf(result.graph).size).toBe(nodesOf(into).size + nodesOf(pasted.part).size);
        expectValid(result.graph);
      }),
    );
  });

  test('keep what they read of each other under new ids, and leave their credentials behind', () => {
    const graph = readBlob({
      nodes: [
        { id: 'get', node: 'core:http-request', version: '1', config: { url: '/', credential: 'c1' } },
        {
          id: 'set',
          node: 'core:set',
          version: '1',
          config: { value: '{{ nodes.get.outputs.body & nodes.`get`.outputs.status & "nodes.get.outputs" }}' },
        },
      ],
      edges: [{ from: { node: 'get' }, to: 'set' }],
    });
    const text = copy(graph, ['get', 'set'], credentialFields);
    expect(text).not.toContain('c1');
    const pasted = readPaste(text);
    if ('fault' in pasted) throw new Error(pasted.fault);
    const { graph: both } = paste(graph, pasted.part, { loop: '', at: { x: 0, y: 0 } });
    expect(nodeAt(both, 'set-2')?.config).toEqual({
      value: '{{ nodes.get-2.outputs.body & nodes.get-2.outputs.status & "nodes.get.outputs" }}',
    });
    expect(edgesOf(both)).toContainEqual({ from: 'get-2', branch: 'default', to: 'set-2' });
  });

  test('are read under the new ids by what comes with them, and not under the ids of nodes in their loops', () => {
    const set = (id: string, value: string) => ({ id, node: 'core:set', version: '1', config: { value } });
    const body = { nodes: [set('get', ''), set('keep', '{{ nodes.get.outputs & nodes.get-2.outputs }}')], edges: [] };
    const each = { id: 'each', node: 'core:for-each', version: '1', config: { body } };
    const part = readBlob({ nodes: [set('get', ''), set('get-2', ''), each, set('sum', '{{ nodes.get.outputs }}')] });
    const { graph } = paste(readBlob({ nodes: [set('get', '')] }), part, { loop: '', at: { x: 0, y: 0 } });
    expect(nodeAt(graph, 'sum')?.config['value']).toBe('{{ nodes.get-2.outputs }}');
    expect(nodeAt(graph, 'each/keep')?.config['value']).toBe('{{ nodes.get.outputs & nodes.get-2-2.outputs }}');
  });

  test('that form a circle are pasted without the edge that closes it', () => {
    const edges = [
      { from: { node: 'a' }, to: 'b' },
      { from: { node: 'b' }, to: 'a' },
    ];
    const nodes = ['a', 'b'].map((id) => ({ id, node: 'core:set', version: '1', config: {} }));
    const pasted = readPaste(JSON.stringify({ nodes, edges }));
    if ('fault' in pasted) throw new Error(pasted.fault);
    const { graph, leftOut } = paste(new Map(), pasted.part, { loop: '', at: { x: 0, y: 0 } });
    expect([edgesOf(graph).length, leftOut]).toEqual([1, 1]);
  });
});
