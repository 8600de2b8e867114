import {
  applyNodeChanges,
  Background,
  type Connection,
  MiniMap,
  type NodeChange,
  ReactFlow,
  useReactFlow,
  useStore,
  useStoreApi,
} from '@xyflow/react';
import { type DragEvent, useEffect, useMemo, useRef, useState } from 'react';
import { commandWords as c } from '#console/automation/editor/commands.words.ts';
import { editorWords as w } from '#console/automation/editor/editor.words.ts';
import type { GraphCommands } from '#console/automation/editor/graph-commands.ts';
import { canConnect, connect, note, place } from '#console/automation/editor/model/commands.ts';
import { type Edge, edgeKey, isObject, noteKey, notesOf, type Point } from '#console/automation/editor/model/graph.ts';
import { headHeight, nodeWidth } from '#console/automation/editor/node-shape.ts';
import type { Editing } from '#console/automation/editor/use-editing.ts';
import { fixed } from './add-node.ts';
import { type CanvasEdge, type CanvasNode, elementDrawer } from './canvas-elements.ts';
import { changedSelection } from './changed-selection.ts';
import { isLarge, isSmall } from './drawn-size.ts';
import { draggedNode, dropTarget } from './drop-target.ts';
import { EdgeAdder } from './edge-adder.tsx';
import { EdgeSketch } from './edge-sketch.tsx';
import { keepDragged } from './keep-dragged.ts';
import { KeepInView } from './keep-in-view.tsx';
import { NodeView } from './node-view.tsx';
import { type NoteActions, NoteActionsContext, NoteView } from './note-view.tsx';
import { StartView } from './start-view.tsx';
import { useCanvasKeys } from './use-canvas-keys.ts';

const nodeTypes = { step: NodeView, note: NoteView };
const noEdges: CanvasEdge[] = [];

const isEdge = (value: unknown): value is Edge => isObject(value) && 'branch' in value;

const endsOf = ({ source, sourceHandle, target }: Connection | CanvasEdge): Edge => ({
  from: source,
  branch: sourceHandle ?? 'default',
  to: target,
});

/** The graph, to be drawn and changed by mouse and by keyboard. It is one stop of Tab; arrows go along its edges. */
export function Canvas({
  editing,
  shown,
  kept,
  open,
  remove,
  drop,
  addInto,
}: {
  editing: Editing;
  /** The node whose form is open. */
  shown: string | undefined;
  /** A node that stays visible whatever covers the graph. */
  kept: string | undefined;
  open: (path: string) => void;
  /** Removes what is selected. */
  remove: (() => void) | undefined;
  drop: GraphCommands['drop'];
  /** Chooses a node for the selected edge. */
  addInto: () => void;
}) {
  const { graph, places, triggers, definitions, problems, selected, select, perform, canEdit, trial } = editing;
  const flow = useReactFlow<CanvasNode, CanvasEdge>();
  const store = useStoreApi();
  // Stable, so that a change of the graph does not draw every note again.
  const performLater = useRef(perform);
  useEffect(() => void (performLater.current = perform), [perform]);
  // The graph moves when a form opens, so one click waits for the second one, unless the form is left meanwhile.
  const opening = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(opening.current), [shown]);
  const box = useRef<HTMLDivElement>(null);
  const hasSmallNodes = useStore(isSmall);
  const [hovered, setHovered] = useState<string>();
  const [draw] = useState(elementDrawer);
  const elements = useMemo(
    () => draw({ graph, triggers, definitions, places, problems, selected, trial }),
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the canvas draws these two of the trial
    [draw, graph, triggers, definitions, places, problems, selected, trial.marks, trial.stale],
  );
  // While something is dragged, its place is the library's; the graph changes once, when it is dropped.
  const [nodes, setNodes] = useState(elements.nodes);
  useEffect(() => setNodes((before) => keepDragged(before, elements.nodes)), [elements.nodes]);
  const hasManyNodes = isLarge(nodes.length);
  const isSketched = hasManyNodes && hasSmallNodes;
  const active = [...selected].findLast((key) => places.has(key));
  const edge = [...selected].map((key) => graph.get(key)).find(isEdge);
  const addable = (hovered === undefined ? undefined : (graph.get(hovered) as Edge | undefined)) ?? edge;

  const onNodesChange = (changes: NodeChange<CanvasNode>[]) => {
    const chosen = changes.filter((change) => change.type === 'select');
    if (chosen.length > 0)
      select(changedSelection(selected, chosen, { keepsOthers: store.getState().multiSelectionActive }));
    const moved = changes.filter((change) => change.type === 'position');
    if (moved.length > 0 && canEdit) setNodes((before) => applyNodeChanges(moved, before));
  };
  const onDropped = (_: unknown, __: CanvasNode, dropped: CanvasNode[]) => {
    const to = new Map(
      dropped.map(({ id, position }): [string, Point] => [
        id,
        { x: Math.round(position.x), y: Math.round(position.y) },
      ]),
    );
    perform(w.moved(to.size), (before) =>
      [...to].reduce(
        (next, [id, point]) => (id.startsWith('note:') ? note(id.slice('note:'.length), point)(next) : next),
        place(to)(place(fixed(editing))(before)),
      ),
    );
  };
  const noteActions = useMemo(
    (): NoteActions => ({
      write: (id, text) => performLater.current(w.noteChanged, note(id, { text }), `note.${id}`),
      select(id) {
        select(new Set([noteKey(id)]));
        box.current?.focus({ preventScroll: true });
      },
      remove(id) {
        performLater.current(w.noteRemoved, note(id, undefined));
        box.current?.focus({ preventScroll: true });
      },
    }),
    [select],
  );
  const goTo = (path: string, besides: Iterable<string> = []) => {
    // The last is the one that arrows go on from.
    select(new Set([...[...besides].filter((other) => other !== path), path]));
    const drawn = flow.getInternalNode(path);
    if (!drawn) return;
    const { x, y } = drawn.internals.positionAbsolute;
    void flow.setCenter(x + 88, y + 40, { zoom: Math.max(flow.getZoom(), 0.8), duration: 0 });
  };
  const onDragOver = (event: DragEvent) => {
    if (canEdit && event.dataTransfer.types.includes(draggedNode)) event.preventDefault();
  };
  const onDrop = (event: DragEvent) => {
    const definition = definitions.get(event.dataTransfer.getData(draggedNode));
    if (!definition) return;
    event.preventDefault();
    const at = { x: event.clientX, y: event.clientY };
    const { x, y } = flow.screenToFlowPosition(at);
    // The pointer holds the node by its head.
    const point = { x: Math.round(x - nodeWidth / 2), y: Math.round(y - headHeight / 2) };
    const placeIn = (path: string) => flow.getInternalNode(path)?.internals.positionAbsolute ?? { x: 0, y: 0 };
    drop(definition, dropTarget(graph, document.elementsFromPoint(at.x, at.y), point, placeIn));
  };
  const onKeyDown = useCanvasKeys({ editing, box, active, edge, goTo, open, remove });
  const [chosenNote = ''] = [...notesOf(graph)].flatMap(([id, { text }]) =>
    selected.has(noteKey(id)) ? [`${w.noteText}: ${text}`] : [],
  );

  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- arrow keys move in it
    <div
      ref={box}
      className={`editor-canvas${hasSmallNodes ? ' is-small' : ''}`}
      role="group"
      aria-label={w.canvas}
      aria-describedby="editor-canvas-keys"
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- arrow keys move in it
      tabIndex={0}
      onKeyDown={onKeyDown}
    >
      <p id="editor-canvas-keys" className="sr-only">
        {w.canvasKeys}
      </p>
      <p className="sr-only" role="status">
        {selected.size > 1 && `${c.selection(selected.size)}. `}
        {active !== undefined ? editing.describe(active) : edge ? editing.describe(edgeKey(edge)) : chosenNote}
      </p>
      <NoteActionsContext value={canEdit ? noteActions : undefined}>
        <ReactFlow<CanvasNode, CanvasEdge>
          nodes={nodes}
          edges={isSketched ? noEdges : elements.edges}
          nodeTypes={nodeTypes}
          onNodesChange={onNodesChange}
          onNodeDragStop={onDropped}
          onSelectionDragStop={(_, dropped) => onDropped(_, dropped[0] as CanvasNode, dropped)}
          onEdgeMouseEnter={(_, { id, selectable }) => (selectable === false ? undefined : setHovered(id))}
          onEdgeMouseLeave={({ relatedTarget }) =>
            relatedTarget instanceof Element && relatedTarget.closest('.editor-edge-adder')
              ? undefined
              : setHovered(undefined)
          }
          onDragOver={onDragOver}
          onDrop={onDrop}
          onEdgeClick={(_, { id }) => select(new Set([id]))}
          onNodeClick={({ shiftKey, ctrlKey, metaKey }, { id }) => {
            if (shiftKey || ctrlKey || metaKey) return;
            select(new Set([id]));
            // A form that stays open would be taken for that of the selected node.
            if (shown === undefined) return;
            clearTimeout(opening.current);
            opening.current = setTimeout(() => open(id), 250);
          }}
          onNodeDoubleClick={(_, { id }) => {
            clearTimeout(opening.current);
            open(id);
          }}
          onPaneClick={() => select(new Set())}
          onConnect={(connection) => perform(w.connected, connect(endsOf(connection)))}
          isValidConnection={(connection) => canConnect(graph, endsOf(connection))}
          deleteKeyCode={null}
          nodesDraggable={canEdit}
          nodesConnectable={canEdit}
          nodesFocusable={false}
          edgesFocusable={false}
          disableKeyboardA11y
          onlyRenderVisibleElements={hasManyNodes}
          minZoom={0.05}
          maxZoom={2}
        >
          <Background gap={16} />
          <StartView at={shown} />
          {isSketched && <EdgeSketch nodes={nodes} edges={elements.edges} />}
          {kept !== undefined && <KeepInView key={kept} path={kept} />}
          {canEdit && addable && (
            <EdgeAdder
              edge={addable}
              press={() => {
                select(new Set([edgeKey(addable)]));
                addInto();
              }}
              leave={() => setHovered(undefined)}
            />
          )}
          {nodes.length > 8 && <MiniMap pannable ariaLabel={w.miniMap} />}
        </ReactFlow>
      </NoteActionsContext>
    </div>
  );
}
