import type { CanvasNode } from './canvas-elements.ts';

/** The nodes as they are drawn anew, but for those being dragged: they stay under the pointer while the save of another person arrives. */
export function keepDragged(before: readonly CanvasNode[], now: CanvasNode[]): CanvasNode[] {
  const dragged = new Map(before.filter(({ dragging }) => dragging).map((node) => [node.id, node]));
  if (dragged.size === 0) return now;
  return now.map((node) => {
    const held = dragged.get(node.id);
    return held ? { ...node, position: held.position, dragging: true } : node;
  });
}
