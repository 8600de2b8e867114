import { expect, test } from 'vitest';
import { isWithinDepth } from '#src/infra/json.ts';

/** `levels` arrays and objects in turn, the innermost with a text in it. */
const nested = (levels: number): unknown =>
  Array.from({ length: levels }).reduce<unknown>((inner, _, at) => (at % 2 === 0 ? [inner] : { inner }), 'text');

test('depth counts objects and arrays, and no depth is too deep to be counted', () => {
  for (const levels of [0, 1, 2, 7, 100_000]) {
    expect([levels, isWithinDepth(nested(levels), levels)]).toEqual([levels, true]);
    if (levels > 0) expect([levels, isWithinDepth(nested(levels), levels - 1)]).toEqual([levels, false]);
  }
  expect(isWithinDepth([nested(1), nested(3), nested(2)], 3)).toBe(false);
});
