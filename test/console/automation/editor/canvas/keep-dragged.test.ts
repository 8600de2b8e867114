import { expect, test } from 'vitest';
import type { CanvasNode } from '#console/automation/editor/canvas/canvas-elements.ts';
import { keepDragged } from '#console/automation/editor/canvas/keep-dragged.ts';

const drawn = (id: string, x: number, more: Partial<CanvasNode> = {}): CanvasNode =>
  ({ id, position: { x, y: 0 }, data: { name: id }, ...more }) as CanvasNode;

test('a node that is being dragged keeps its place while the others are drawn where another person has put them', () => {
  const before = [drawn('one', 40, { dragging: true }), drawn('two', 0)];
  const now = [drawn('one', 0), drawn('two', 80), drawn('three', 160)];
  expect(keepDragged(before, now).map(({ id, position, dragging }) => [id, position.x, dragging ?? false])).toEqual([
    ['one', 40, true],
    ['two', 80, false],
    ['three', 160, false],
  ]);
  expect(keepDragged(before, [drawn('two', 80)]).map(({ id }) => id)).toEqual(['two']);
  expect(keepDragged(now, now)).toBe(now);
});
