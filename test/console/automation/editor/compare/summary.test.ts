import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fieldName, valueText } from '#console/automation/editor/compare/summary-text.ts';
import { textParts } from '#console/automation/editor/compare/text-parts.ts';
import { difference } from '#console/automation/editor/model/changes.ts';
import { addNode, configure, edit, place, remove, rename } from '#console/automation/editor/model/commands.ts';
import { type Json, nodeAt, type NodeUnit } from '#console/automation/editor/model/graph.ts';
import {
  type FieldChange,
  fieldChanges,
  isEmpty,
  type NodeChange,
  summarize,
} from '#console/automation/editor/model/summary.ts';
import { anyCommand, orderGraph, perform } from '#test/console/automation/editor/model/graphs.ts';

const someCommands = fc.array(anyCommand, { maxLength: 20 });
const opposite = { added: 'removed', removed: 'added', changed: 'changed' } as const;

/** The path that a node has on the other side, where it or the loop around it was renamed. */
function renamedIn(nodes: readonly NodeChange[], path: string): string {
  const found = nodes.findLast(
    ({ path: each, was }) => was !== undefined && (path === each || path.startsWith(`${each}/`)),
  );
  return found?.was === undefined ? path : found.was + path.slice(found.path.length);
}

/** A value with the changes made in it. */
function change(value: unknown, changes: readonly FieldChange[]): unknown {
  const next: unknown = structuredClone(value);
  for (const { path, to } of changes) {
    const last = path.at(-1);
    if (last === undefined) return to;
    const inner = path.slice(0, -1).reduce<Record<string, unknown>>((each, name) => each[name] as Json, next as Json);
    // By definition, not by assignment, which would set the prototype for a member called __proto__.
    if (to === undefined) delete inner[last];
    else Object.defineProperty(inner, last, { value: to, writable: true, enumerable: true, configurable: true });
  }
  return next;
}

describe('the difference of two graphs by node', () => {
  test('is empty if and only if they are the same', () => {
    fc.assert(
      fc.property(someCommands, (commands) => {
        const graph = perform(orderGraph, commands);
        const published = difference(orderGraph, graph).filter(({ key }) => !key.startsWith('pin:'));
        expect(isEmpty(summarize(orderGraph, graph))).toBe(published.length === 0);
      }),
    );
  });

  test('is the opposite in the other direction', () => {
    fc.assert(
      fc.property(someCommands, someCommands, (one, other) => {
        const [from, to] = [perform(orderGraph, one), perform(orderGraph, other)];
        const there = summarize(from, to);
        const back = summarize(to, from);
        expect(back.nodes.map(({ path, kind }) => `${path} ${kind}`).toSorted()).toEqual(
          there.nodes.map(({ path, kind }) => `${renamedIn(there.nodes, path)} ${opposite[kind]}`).toSorted(),
        );
        expect(back.edges.length).toBe(there.edges.length);
        expect(back.moved.toSorted()).toEqual(there.moved.map((path) => renamedIn(there.nodes, path)).toSorted());
      }),
    );
  });

  test('names each value that a node has changed, added and lost', () => {
    const graph = [
      configure('each/get', 'url', 'https://erp.example/v2/{{ item.sku }}'),
      configure('each/get', 'method', 'POST'),
      edit('each/keep', { on_error: undefined }),
      remove(['answer']),
      place(new Map([['each', { x: 7, y: 7 }]])),
    ].reduce((next, command) => command(next), orderGraph);
    expect(summarize(orderGraph, graph)).toMatchObject({
      nodes: [
        { kind: 'removed', path: 'answer', slug: 'core:respond' },
        {
          kind: 'changed',
          path: 'each/get',
          fields: [
            { path: ['config', 'url'], from: 'https://erp.example/{{ item.sku }}' },
            { path: ['config', 'method'], from: undefined, to: 'POST' },
          ],
        },
        { kind: 'changed', path: 'each/keep', fields: [{ path: ['on_error'], from: 'continue', to: undefined }] },
      ],
      edges: [{ kind: 'removed', edge: { from: 'each', to: 'answer' } }],
      moved: ['each'],
      notes: 0,
      members: [],
    });
  });

  test('calls a node that was renamed renamed, with what else has changed in it, and what leads to and reads it the same', () => {
    const graph = [
      rename('each', 'lines'),
      rename('lines/get', 'fetch'),
      configure('lines/fetch', 'method', 'POST'),
    ].reduce((next, command) => command(next), orderGraph);
    const { nodes, edges } = summarize(orderGraph, place(new Map([['lines/fetch', { x: 1, y: 1 }]]))(graph));
    expect(nodes).toMatchObject([
      { kind: 'changed', path: 'lines', was: 'each', fields: [] },
      { kind: 'added', path: 'lines/fetch' },
      { kind: 'removed', path: 'lines/get' },
    ]);
    expect(edges.map(({ kind }) => kind)).toEqual(['added', 'removed']);
    const drawn = place(new Map([['each/get', { x: 1, y: 1 }]]))(orderGraph);
    const renamed = configure('each/fetch', 'method', 'POST')(rename('each/get', 'fetch')(drawn));
    expect(summarize(drawn, renamed)).toMatchObject({
      nodes: [
        { kind: 'changed', path: 'each/fetch', was: 'each/get', fields: [{ path: ['config', 'method'], to: 'POST' }] },
      ],
      edges: [],
    });
  });

  test('calls a node renamed that stands elsewhere too and has the same settings, and says that it has moved', () => {
    const drawn = place(
      new Map([
        ['each/get', { x: 1, y: 1 }],
        ['each/keep', { x: 2, y: 2 }],
      ]),
    )(orderGraph);
    const next = [rename('each/get', 'fetch'), place(new Map([['each/fetch', { x: 500, y: 40 }]]))].reduce(
      (graph, command) => command(graph),
      drawn,
    );
    expect(summarize(drawn, next)).toMatchObject({
      nodes: [{ kind: 'changed', path: 'each/fetch', was: 'each/get', fields: [] }],
      edges: [],
      moved: ['each/fetch'],
    });
    // Nobody can tell which of two alike it is.
    const copied = addNode('each/copy', nodeAt(next, 'each/fetch') as NodeUnit, { x: 9, y: 9 })(next);
    expect(summarize(drawn, copied).nodes.map(({ kind }) => kind)).toEqual(['added', 'added', 'removed']);
  });

  test('of two values gives the second when it is made in the first, whatever they are', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (from, to) => {
        expect(change(from, fieldChanges(from, to))).toEqual(to);
      }),
    );
  });
});

describe('a value that differs', () => {
  test('is named as its form names it', () => {
    const definition = { fields: [{ key: 'cases', label: 'Cases' }] } as never;
    expect(fieldName({ path: ['config', 'cases', '0', 'branch'] }, definition)).toBe('Cases › 1 › branch');
    expect(fieldName({ path: ['on_error'] }, definition)).toBe('After a failure');
    expect(fieldName({ path: ['config', 'url'] }, undefined)).toBe('url');
  });

  test('is shown as text, JSON, or nothing', () => {
    expect([valueText('a'), valueText({ a: 1 }), valueText(undefined)]).toEqual(['a', '{\n  "a": 1\n}', 'nothing']);
  });

  test('is cut where its text differs, and loses no character', () => {
    expect(textParts('https://erp.example/v1/items', 'https://erp.example/v2/items')).toEqual({
      start: 'https://erp.example/',
      before: 'v1',
      after: 'v2',
      end: '/items',
    });
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (one, other) => {
        const { start, before, after, end } = textParts(one, other);
        expect([start + before + end, start + after + end]).toEqual([one, other]);
      }),
    );
  });
});
