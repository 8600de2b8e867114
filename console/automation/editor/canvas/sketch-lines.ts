import { getBezierPath, Position } from '@xyflow/react';
import type { Point } from '#console/automation/editor/model/graph.ts';
import type { CanvasEdge, CanvasNode } from './canvas-elements.ts';

/** The lines of all edges of the same look, by its class names. */
export function sketchLines(nodes: readonly CanvasNode[], edges: readonly CanvasEdge[]): Map<string, string> {
  const ends = endsByNode(nodes);
  const lines = new Map<string, string>();
  for (const { source, sourceHandle, target, className = '', selected } of edges) {
    const from = ends.get(source)?.out.get(sourceHandle ?? 'default');
    const to = ends.get(target)?.in;
    if (!from || !to) continue;
    const look = selected ? `${className} selected` : className;
    const [line] = getBezierPath({
      sourceX: from.x,
      sourceY: from.y,
      sourcePosition: Position.Right,
      targetX: to.x,
      targetY: to.y,
      targetPosition: Position.Left,
    });
    lines.set(look, (lines.get(look) ?? '') + line);
  }
  return lines;
}

interface Ends {
  corner: Point;
  in: Point | undefined;
  /** By branch. */
  out: Map<string, Point>;
}

/** Where edges meet the nodes. A loop comes before the nodes in it, whose places are relative to it. */
function endsByNode(nodes: readonly CanvasNode[]): Map<string, Ends> {
  const found = new Map<string, Ends>();
  for (const { id, parentId, position, handles = [] } of nodes) {
    const loop = parentId === undefined ? undefined : found.get(parentId)?.corner;
    const corner = { x: position.x + (loop?.x ?? 0), y: position.y + (loop?.y ?? 0) };
    const at = ({ type, x, y, width = 0, height = 0 }: (typeof handles)[number]): Point => ({
      x: corner.x + x + (type === 'source' ? width : 0),
      y: corner.y + y + height / 2,
    });
    const target = handles.find(({ type }) => type === 'target');
    const out = handles.filter(({ type }) => type === 'source').map((each) => [each.id ?? '', at(each)] as const);
    found.set(id, { corner, in: target && at(target), out: new Map(out) });
  }
  return found;
}
