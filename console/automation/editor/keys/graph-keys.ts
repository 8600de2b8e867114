import type { ReactFlowInstance } from '@xyflow/react';
import { fitting } from '#console/automation/editor/canvas/canvas-tools.tsx';
import type { Doing } from '#console/automation/editor/doing.ts';
import type { GraphCommands } from '#console/automation/editor/graph-commands.ts';
import { edgesOf } from '#console/automation/editor/model/graph.ts';
import type { Editing } from '#console/automation/editor/use-editing.ts';
import type { KeyActions } from './editor-keys.ts';
import { nextEdge } from './next-edge.ts';

interface Given {
  editing: Editing;
  commands: GraphCommands;
  flow: ReactFlowInstance;
  start: (doing: Doing) => void;
  /** The node that is selected. */
  chosen: string | undefined;
}

/** What the keys for the graph and its view do. */
export const graphKeys = ({ editing, commands, flow, start, chosen }: Given) =>
  ({
    add: () => start('add'),
    edge: () => editing.select(nextEdge(edgesOf(editing.graph), editing.selected)),
    connect: () => (chosen === undefined ? undefined : start('connect')),
    find: () => start('find'),
    selectAll: commands.selectAll,
    clear: () => editing.select(new Set()),
    copy: () => void commands.copy(),
    duplicate: commands.duplicate,
    undo: editing.undo,
    redo: editing.redo,
    zoomIn: () => void flow.zoomIn(),
    zoomOut: () => void flow.zoomOut(),
    fit: () => void flow.fitView(fitting),
    fullSize: () => void flow.zoomTo(1),
    help: () => start('keys'),
  }) satisfies Partial<KeyActions>;
