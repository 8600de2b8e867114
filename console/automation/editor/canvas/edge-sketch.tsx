import { ViewportPortal } from '@xyflow/react';
import { useMemo } from 'react';
import type { CanvasEdge, CanvasNode } from './canvas-elements.ts';
import { sketchLines } from './sketch-lines.ts';

interface Props {
  nodes: readonly CanvasNode[];
  edges: readonly CanvasEdge[];
}

/**
 * The edges of a large graph that is drawn so small that nobody could point at one of them: all that look alike are one element. Of 980 edges
 * the library makes 3,920 elements, and looks at each edge in every frame of a movement.
 */
export function EdgeSketch({ nodes, edges }: Props) {
  const lines = useMemo(() => sketchLines(nodes, edges), [nodes, edges]);
  return (
    <ViewportPortal>
      <svg className="editor-sketch" aria-hidden="true">
        {[...lines].map(([look, line]) => (
          <g key={look} className={`react-flow__edge ${look}`}>
            <path className="react-flow__edge-path" d={line} />
          </g>
        ))}
      </svg>
    </ViewportPortal>
  );
}
