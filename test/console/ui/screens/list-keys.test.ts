import { expect, test } from 'vitest';
import { moveBy, placeOf } from '#console/ui/screens/list-keys.ts';

test.each([
  ['ArrowDown', -1, 3, 0],
  ['ArrowDown', 2, 3, 2],
  ['ArrowUp', 0, 3, 0],
  ['End', 0, 3, 2],
  ['Home', 2, 3, 0],
  ['PageDown', 0, 100, 20],
  ['j', 0, 3, 1],
  ['Enter', 0, 3, undefined],
  ['ArrowDown', -1, 0, undefined],
])('%s moves from row %i of a list of %i rows to %s', (key, active, count, expected) => {
  expect(moveBy(key, active, count)).toBe(expected);
});

const rows = (...ids: string[]) => ids.map((id) => ({ id }));

test.each([
  ['stays on its row', rows('a', 'b', 'c'), 1],
  ['moves with its row, when rows come above it', rows('new', 'a', 'b', 'c'), 2],
  ['moves with its row, when rows above it go', rows('b', 'c'), 0],
  ['goes to the row that took its place', rows('a', 'c'), 1],
  ['goes to the last row, when nothing took its place', rows('a'), 0],
  ['goes nowhere in an empty list', [], -1],
])('the cursor of a list %s', (_, after, place) => {
  expect(placeOf({ id: 'b', index: 1 }, after)).toBe(place);
});
