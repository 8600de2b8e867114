import { expect, test } from 'vitest';
import { changedSelection } from '#console/automation/editor/canvas/changed-selection.ts';

const edge = 'edge:a.default>b';

test.each([
  ['lets go of an edge', [edge], [{ id: 'a', selected: true }], false, ['a']],
  ['keeps an edge with the key for several', [edge], [{ id: 'a', selected: true }], true, [edge, 'a']],
  ['that is let go of keeps an edge', [edge, 'a'], [{ id: 'a', selected: false }], false, [edge]],
  [
    'takes the place of another',
    ['b'],
    [
      { id: 'b', selected: false },
      { id: 'a', selected: true },
    ],
    false,
    ['a'],
  ],
])('a node that is chosen %s', (_, before, choices, keepsOthers, after) => {
  expect([...changedSelection(new Set(before), choices, { keepsOthers })]).toEqual(after);
});
