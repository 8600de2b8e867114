import { expect, test } from 'vitest';
import { maxRows, RowList } from '#console/ui/screens/row-list.ts';
import type { ListUpdate } from '#console/ui/screens/rows.ts';

interface Item {
  id: string;
  name: string;
}

const item = (id: string, name = id): Item => ({ id, name });

/** A list with rows, and the function that applies what has been collected, as a frame of the browser does. */
function open(rows: readonly Item[], hasMore = false) {
  let waiting: (() => void) | undefined;
  const list = new RowList<Item>((flush) => {
    waiting = flush;
  });
  list.reset(rows, hasMore);
  const shown = () => list.state().rows.map(({ value, isGone }) => (isGone ? `(${value.name})` : value.name));
  const update = (change: ListUpdate<Item>['change'], node: Item | null, id = node?.id ?? null) =>
    list.apply({ change, id, node });
  const frame = () => waiting?.();
  return { list, shown, update, frame };
}

test('changes of many rows are applied together, once a frame', () => {
  const { list, shown, update, frame } = open([item('a'), item('b')]);
  let drawn = 0;
  list.subscribe(() => (drawn += 1));
  for (let count = 1; count <= 400; count += 1) update('CHANGED', item('a', `a${count}`));
  expect(shown()).toEqual(['a', 'b']);
  frame();
  expect(shown()).toEqual(['a400', 'b']);
  expect(drawn).toBe(1);
});

test('a row that did not change stays the same object, so that it is not drawn again', () => {
  const { list, update, frame } = open([item('a'), item('b')]);
  const before = list.state().rows[1];
  update('CHANGED', item('a', 'x'));
  frame();
  expect(list.state().rows[1]).toBe(before);
});

test('a change finds its row where new rows and further pages have put it', () => {
  const { list, shown, update, frame } = open([item('a'), item('b')], true);
  update('CHANGED', item('b', 'b1'));
  frame();
  update('ADDED', item('c'));
  frame();
  list.append([item('d')], false);
  update('CHANGED', item('b', 'b2'));
  update('CHANGED', item('d', 'd1'));
  update('REMOVED', null, 'c');
  frame();
  expect(shown()).toEqual(['(c)', 'a', 'b2', 'd1']);
});

test('new rows come first while the reader is at the top, and wait while the reader is elsewhere', () => {
  const { list, shown, update, frame } = open([item('a')]);
  update('ADDED', item('b'));
  frame();
  expect(shown()).toEqual(['b', 'a']);

  list.showsNew = false;
  update('ADDED', item('c'));
  update('ADDED', item('d'));
  frame();
  expect(shown()).toEqual(['b', 'a']);
  expect(list.state().waiting).toBe(2);
  list.showWaiting();
  expect(shown()).toEqual(['d', 'c', 'b', 'a']);
  expect(list.state().waiting).toBe(0);
});

test('a row that left the filter keeps its place, marked, until new rows are shown', () => {
  const { list, shown, update, frame } = open([item('a'), item('b'), item('c')]);
  list.showsNew = false;
  update('REMOVED', null, 'b');
  frame();
  expect(shown()).toEqual(['a', '(b)', 'c']);
  update('ADDED', item('d'));
  frame();
  list.showWaiting();
  expect(shown()).toEqual(['d', 'a', 'c']);
});

test('a row that comes back to the filter is no longer marked', () => {
  const { shown, update, frame } = open([item('a')]);
  update('REMOVED', null, 'a');
  frame();
  update('ADDED', item('a', 'again'));
  frame();
  expect(shown()).toEqual(['again']);
});

test('a change of a row that is not loaded is no new row', () => {
  const { list, shown, update, frame } = open([item('a')], true);
  update('CHANGED', item('z'));
  frame();
  expect(shown()).toEqual(['a']);
  expect(list.state().waiting).toBe(0);
});

test('a waiting row that is removed again does not wait any more', () => {
  const { list, update, frame } = open([item('a')]);
  list.showsNew = false;
  update('ADDED', item('b'));
  frame();
  update('REMOVED', null, 'b');
  frame();
  expect(list.state().waiting).toBe(0);
});

test('RELOAD marks the list as stale and drops what was collected with it', () => {
  const { list, shown, update, frame } = open([item('a')]);
  update('CHANGED', item('a', 'x'));
  update('RELOAD', null);
  frame();
  expect(list.state().isStale).toBe(true);
  list.reset([item('a', 'y')], false);
  expect(shown()).toEqual(['y']);
  expect(list.state().isStale).toBe(false);
});

test('a change that is reported while the first page is read holds, whichever of them is older', () => {
  const { list, shown, update, frame } = open([item('a'), item('b')]);
  const endRead = list.beginRead();
  update('CHANGED', item('a', 'a1'));
  update('ADDED', item('c'));
  frame();
  endRead();
  list.reset([item('a'), item('b')], false);
  frame();
  expect(shown()).toEqual(['c', 'a1', 'b']);
  list.reset([item('a', 'a2')], false);
  frame();
  expect(shown()).toEqual(['a2']);
});

test('a page that overlaps with the rows adds each row once, and rows end at the limit', () => {
  const { list, shown } = open([item('a'), item('b')], true);
  list.append([item('b'), item('c')], true);
  expect(shown()).toEqual(['a', 'b', 'c']);
  list.append(
    Array.from({ length: maxRows }, (_, index) => item(`row-${index}`)),
    true,
  );
  expect(list.state().rows).toHaveLength(maxRows);
  expect(list.state().hasMore).toBe(false);
});
