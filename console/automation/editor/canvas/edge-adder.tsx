import { useReactFlow, ViewportPortal } from '@xyflow/react';
import { commandWords as w } from '#console/automation/editor/commands.words.ts';
import type { Edge } from '#console/automation/editor/model/graph.ts';
import { branchTop, headHeight } from '#console/automation/editor/node-shape.ts';
import type { CanvasEdge, CanvasNode } from './canvas-elements.ts';

/** The button in the middle of an edge that adds a node there. */
export function EdgeAdder({ edge, press, leave }: { edge: Edge; press: () => void; leave: () => void }) {
  const flow = useReactFlow<CanvasNode, CanvasEdge>();
  const from = flow.getInternalNode(edge.from);
  const to = flow.getInternalNode(edge.to);
  if (!from || !to) return null;
  const { branches } = from.data;
  const start = from.internals.positionAbsolute;
  const end = to.internals.positionAbsolute;
  const startY = start.y + branchTop(Math.max(0, branches.indexOf(edge.branch)), branches.length);
  const x = (start.x + (from.width ?? 0) + end.x) / 2;
  const y = (startY + end.y + headHeight / 2) / 2;
  return (
    <ViewportPortal>
      <button
        type="button"
        className="editor-edge-adder"
        // The keyboard selects the edge and presses A.
        tabIndex={-1}
        aria-label={w.insert}
        title={w.insert}
        style={{ transform: `translate(${x}px, ${y}px) translate(-50%, -50%)` }}
        onClick={press}
        onMouseLeave={leave}
      >
        +
      </button>
    </ViewportPortal>
  );
}
