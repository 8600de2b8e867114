import { Button } from '#console/ui/button.tsx';
import { commandWords as c } from './commands.words.ts';
import type { Doing } from './doing.ts';
import { editorWords as w } from './editor.words.ts';
import type { GraphCommands } from './graph-commands.ts';
import { isTrigger } from './model/graph.ts';
import type { Editing } from './use-editing.ts';

/** What can be done with the selected nodes and edges; over the graph, so that nothing moves when it comes. */
export function SelectionBar({
  editing,
  commands,
  remove,
  start,
  open,
  shown,
}: {
  editing: Editing;
  commands: GraphCommands;
  /** Absent where nothing that is selected can be removed. */
  remove: (() => void) | undefined;
  start: (doing: Doing) => void;
  /** Opens a node or a trigger. */
  open: (path: string) => void;
  /** The node or trigger whose form is open; it gets no "Set up" button. */
  shown: string | undefined;
}) {
  const { selected, canEdit, places } = editing;
  if (!canEdit || selected.size === 0) return null;
  const nodes = [...selected].filter((key) => places.has(key));
  const hasEdge = nodes.length === 0 && [...selected].some((key) => key.startsWith('edge:'));
  const [only] = nodes.length === 1 ? nodes : [];
  const steps = nodes.filter((path) => !isTrigger(path));
  return (
    <div className="editor-selection" role="toolbar" aria-label={c.selectionTools}>
      <span className="quiet">{c.selection(selected.size)}</span>
      {only !== undefined && (
        <>
          {only !== shown && <Button onPress={() => open(only)}>{w.setUp}</Button>}
          <Button onPress={() => start('connect')}>{w.connect}</Button>
        </>
      )}
      {hasEdge && <Button onPress={() => start('add')}>{w.addNode}</Button>}
      {steps.length > 0 && (
        <>
          <Button onPress={commands.duplicate}>{w.duplicate}</Button>
          <Button onPress={commands.wrap}>{w.wrap}</Button>
          <Button onPress={() => start('extract')}>{c.extract}</Button>
        </>
      )}
      {remove && <Button onPress={remove}>{w.remove}</Button>}
    </div>
  );
}
