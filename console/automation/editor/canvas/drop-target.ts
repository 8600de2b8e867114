import type { Edge, Graph, Point } from '#console/automation/editor/model/graph.ts';
import { loopNode, nodeAt } from '#console/automation/editor/model/graph.ts';

/** The kind of data under which the palette gives the slug of a dragged node. */
export const draggedNode = 'application/x-causeway-node';

export type DropTarget = { edge: Edge } | { loop: string; point: Point };

/** What a node is dropped on: an edge below the pointer, else the canvas or the loop there. */
export function dropTarget(
  graph: Graph,
  elements: readonly Element[],
  point: Point,
  placeIn: (path: string) => Point,
): DropTarget {
  for (const element of elements) {
    const key = element.closest('.react-flow__edge')?.getAttribute('data-id');
    const edge = key == null ? undefined : (graph.get(key) as Edge | undefined);
    if (edge) return { edge };
  }
  const loops = elements
    .map((element) => element.closest('.react-flow__node')?.getAttribute('data-id') ?? '')
    .filter((path) => nodeAt(graph, path)?.node === loopNode);
  const loop = loops.toSorted((one, other) => other.length - one.length)[0];
  if (loop === undefined) return { loop: '', point };
  const corner = placeIn(loop);
  return { loop, point: { x: point.x - corner.x, y: point.y - corner.y } };
}
