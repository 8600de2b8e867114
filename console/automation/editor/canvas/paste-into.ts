import { paste } from '#console/automation/editor/model/clipboard.ts';
import { type Command, place } from '#console/automation/editor/model/commands.ts';
import type { Graph, Point } from '#console/automation/editor/model/graph.ts';
import { type Canvas, fixed, inLoop, settled } from './add-node.ts';
import { nodeHeights, placesOf } from './places.ts';

interface Pasted {
  /** The paths of the pasted nodes, without those inside pasted loops. */
  paths: string[];
  /** The number of edges that were left out. */
  leftOut: number;
  command: Command;
}

/** Pastes a part into a loop, at a point or below what lies there. */
export function pasteInto(canvas: Canvas, part: Graph, { loop, at }: { loop: string; at: Point }): Pasted {
  const { graph, definitions } = canvas;
  // Without the edges that close circles, which would be arranged too.
  const { graph: alone, leftOut } = paste(new Map(), part, { loop: '', at: { x: 0, y: 0 } });
  const places = placesOf(alone, [], nodeHeights(alone, definitions));
  const placed = place(fixed({ graph: alone, places }))(alone);
  const to = { loop, at: inLoop(at, loop) };
  const { paths } = paste(graph, placed, to);
  return { paths, leftOut, command: settled(canvas, paths, (before) => paste(before, placed, to).graph) };
}
