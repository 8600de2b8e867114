import { expect, test } from 'vitest';
import type { ScopeEntry } from '#console/automation/editor/expressions/completions.ts';
import { withPins } from '#console/automation/editor/expressions/pinned-entries.ts';
import {
  nearestFirst,
  nodeWithoutData,
  rowAfterKey,
  rowName,
  scopeRows,
} from '#console/automation/editor/expressions/scope-rows.ts';

const entry = (path: string, depth: number, sample: unknown = null): ScopeEntry => ({
  path,
  name: path.split('.').findLast((name) => name !== 'outputs') ?? '',
  depth,
  type: null,
  sample,
  hasMore: false,
  isDeclared: true,
});
const entries = [
  entry('trigger', 0),
  entry('trigger.payload', 1),
  entry('trigger.payload.id', 2, 'A-1'),
  entry('nodes', 0),
  entry('nodes.get.outputs', 1),
  entry('nodes.get.outputs.status', 2, 200),
];
const paths = (search: string, toggled: string[] = []) =>
  scopeRows(entries, { search, toggled: new Set(toggled) }).map(({ entry: { path } }) => path);

test('a search finds names and values, with what is around them', () => {
  expect(paths('a-1')).toEqual(['trigger', 'trigger.payload', 'trigger.payload.id']);
  expect(paths('status')).toEqual(['nodes', 'nodes.get.outputs', 'nodes.get.outputs.status']);
});

test('the names of a row and of what is around it are its path', () => {
  const named = new Map(
    scopeRows(entries, { search: '', toggled: new Set() }).map(({ entry }) => [entry.depth, entry]),
  );
  expect([...named.values()].map(rowName).join('.')).toBe('nodes.get.outputs.status');
});

test('what is closed hides its members', () => {
  expect(paths('', ['trigger'])).toEqual(['trigger', 'nodes', 'nodes.get.outputs', 'nodes.get.outputs.status']);
});

test('what a field reads most stands first, with its members', () => {
  const all = [...entries, entry('run', 0), entry('run.id', 1, 2), entry('item', 0), entry('item.sku', 1, 'MUG')];
  expect(nearestFirst(all).map(({ path }) => path)).toEqual([
    'item',
    'item.sku',
    'nodes',
    'nodes.get.outputs',
    'nodes.get.outputs.status',
    'trigger',
    'trigger.payload',
    'trigger.payload.id',
    'run',
    'run.id',
  ]);
});

test('the headers of a webhook are closed at first', () => {
  const hook = [...entries.slice(0, 2), entry('trigger.payload.headers', 2), entry('trigger.payload.headers.host', 3)];
  const rows = scopeRows(hook, { search: '', toggled: new Set() });
  expect(rows.map(({ entry: { path }, isOpen }) => [path, isOpen])).toEqual([
    ['trigger', true],
    ['trigger.payload', true],
    ['trigger.payload.headers', false],
  ]);
});

test('arrows go to members and back to the parent', () => {
  const rows = scopeRows(entries, { search: '', toggled: new Set() });
  expect(rowAfterKey(rows, 0, 'ArrowRight')).toBe(1);
  expect(rowAfterKey(rows, 2, 'ArrowLeft')).toBe(1);
  expect(rowAfterKey(rows, 0, 'Enter')).toBeUndefined();
});

test('pinned outputs stand in place of those of a run', () => {
  const graph = new Map<string, unknown>([
    ['node:get', { node: 'core:http-request', version: '1.0.0', config: {} }],
    ['pin:get', { $branch: 'default', body: { id: 7 } }],
  ]);
  expect(withPins(entries, graph, 'send').slice(4)).toMatchObject([
    { path: 'nodes.get.outputs', isDeclared: false },
    { path: 'nodes.get.outputs.body', sample: null },
    { path: 'nodes.get.outputs.body.id', sample: 7, type: 'NUMBER' },
  ]);
});

test.each([
  ['{{ nodes.get.outputs.status }}', 'get'],
  ['{{ $count(nodes["get"].outputs.items) }}', 'get'],
  ['{{ nodes.get-more.outputs.status }}', undefined],
  ['{{ nodes.ran.outputs.status }}', undefined],
  ['{{ trigger.payload.get }}', undefined],
])('%s reads of the nodes that left nothing in the run: %s', (text, node) => {
  const ran = { ...entry('nodes.ran.outputs', 1), isDeclared: false };
  expect(nodeWithoutData(text, [...entries, ran])).toBe(node);
});
