import { Background, ReactFlow } from '@xyflow/react';
import type { CanvasEdge, CanvasNode } from '#console/automation/editor/canvas/canvas-elements.ts';
import { NodeView } from '#console/automation/editor/canvas/node-view.tsx';
import { NoteView } from '#console/automation/editor/canvas/note-view.tsx';
import { StartView } from '#console/automation/editor/canvas/start-view.tsx';
import type { Compared } from './compared-elements.ts';
import { revisionWords as w } from './revisions.words.ts';

const nodeTypes = { step: NodeView, note: NoteView };

/** Two graphs in one drawing, to look at. What it shows is also beside it, in words. */
export function ComparedCanvas({ compared, label }: { compared: Compared; label: string }) {
  return (
    <div className="editor-canvas is-compared" role="group" aria-label={label} aria-describedby="editor-compared">
      <p id="editor-compared" className="compared-help">
        {w.compareHelp}
      </p>
      <ReactFlow<CanvasNode, CanvasEdge>
        nodes={compared.nodes}
        edges={compared.edges}
        nodeTypes={nodeTypes}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        deleteKeyCode={null}
        disableKeyboardA11y
        minZoom={0.05}
        maxZoom={2}
      >
        <Background gap={16} />
        <StartView />
      </ReactFlow>
    </div>
  );
}
