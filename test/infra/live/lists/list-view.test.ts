import { expect, test } from 'vitest';
import { ListView, maxFirstRead, maxRemembered } from '#src/infra/live/lists/list-view.ts';

const row = async () => undefined;

function openView(newest: readonly number[] | undefined) {
  const view = new ListView<object>();
  const seen: string[] = [];
  view.listeners.add(({ change, id }) => seen.push(id === null ? change : `${change} ${id}`));
  view.begin(newest);
  return { view, seen };
}

test('a row that begins to match is added, one that matches on is changed, and one that ends to match is removed once', () => {
  const { view, seen } = openView([7]);
  view.update(7, true, row);
  view.update(8, true, row);
  view.update(8, true, row);
  view.update(8, false, row);
  view.update(8, false, row);
  view.update(9, false, row);
  expect(seen).toEqual(['reload', 'changed 7', 'added 8', 'changed 8', 'removed 8']);
});

test('a row that may have matched before counts as having matched, when more match than are read or they could not be read', () => {
  const newest = Array.from({ length: maxFirstRead }, (_, index) => 5_000 - index);
  const long = openView(newest);
  const unread = openView(undefined);
  for (const { view } of [long, unread]) {
    view.update(3, true, row);
    view.update(4, false, row);
  }
  expect(long.seen).toEqual(['reload', 'changed 3', 'removed 4']);
  expect(unread.seen).toEqual(['reload', 'changed 3', 'removed 4']);
  long.view.update(5_001, false, row);
  long.view.update(5_002, true, row);
  expect(long.seen.slice(3)).toEqual(['added 5002']);
});

test('a row that was forgotten because too many match is still removed', () => {
  const { view, seen } = openView([]);
  for (let id = 1; id <= maxRemembered + 1; id += 1) view.update(id, true, row);
  view.update(1, false, row);
  expect(seen.at(-1)).toBe('removed 1');
});

test('a view that may remember less forgets the rows that matched first, and still reports their removal', () => {
  const { view, seen } = openView([]);
  for (let id = 1; id <= 20; id += 1) view.update(id, true, row);
  view.update(21, true, row, 5);
  seen.length = 0;
  // It is not known any more whether 3 matched; of 20 it is.
  view.update(3, true, row, 5);
  view.update(20, true, row, 5);
  view.update(1, false, row, 5);
  expect(seen).toEqual(['changed 3', 'changed 20', 'removed 1']);
});
