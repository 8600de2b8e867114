import { Button } from '#console/ui/button.tsx';
import type { Doing } from './doing.ts';
import { editorWords as w } from './editor.words.ts';
import type { GraphCommands } from './graph-commands.ts';
import { editorTriggerWords } from './triggers/triggers.words.ts';
import type { Editing } from './use-editing.ts';

/** The commands for the graph. */
export function Toolbar({
  editing,
  commands,
  start,
  canPublish,
  cannotPublish,
  canAddTrigger,
}: {
  editing: Editing;
  commands: GraphCommands;
  start: (doing: Doing) => void;
  canPublish: boolean;
  /** Why the draft cannot be published now. */
  cannotPublish: string | undefined;
  canAddTrigger: boolean;
}) {
  const { state, canEdit } = editing;
  return (
    <div className="editor-toolbar" role="toolbar" aria-label={w.canvas}>
      <Button kind="main" isDisabled={!canEdit} onPress={() => start('add')}>
        {w.addNode}
      </Button>
      {canAddTrigger && <Button onPress={() => start('trigger')}>{editorTriggerWords.add}</Button>}
      <Button isDisabled={!canEdit} onPress={commands.addNote}>
        {w.addNote}
      </Button>
      <Button isDisabled={!canEdit} onPress={commands.arrange}>
        {w.arrange}
      </Button>
      <Button isDisabled={!canEdit || state.history.done.length === 0} onPress={editing.undo}>
        {w.undo}
      </Button>
      <Button isDisabled={!canEdit || state.history.undone.length === 0} onPress={editing.redo}>
        {w.redo}
      </Button>
      <span className="editor-toolbar-end">
        <Button onPress={() => start('in-out')}>{w.inOut}</Button>
        <Button onPress={() => start('revisions')}>{w.revisions}</Button>
        <Button onPress={() => start('try')}>{w.tryIt}</Button>
        <Button
          kind="main"
          isDisabled={!canPublish || cannotPublish !== undefined}
          reason={cannotPublish}
          onPress={() => start('publish')}
        >
          {w.publish}
        </Button>
      </span>
    </div>
  );
}
