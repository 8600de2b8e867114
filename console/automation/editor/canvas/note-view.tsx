import type { NodeProps } from '@xyflow/react';
import { createContext, type KeyboardEvent, memo, use } from 'react';
import { editorWords as w } from '#console/automation/editor/editor.words.ts';
import type { CanvasNode } from './canvas-elements.ts';

/** The edits that a person can make to a note; each takes the id of the note. */
export interface NoteActions {
  write: (id: string, text: string) => void;
  /** Leaves its text, and selects the note. */
  select: (id: string) => void;
  remove: (id: string) => void;
}

/** Absent for those who may only look. */
export const NoteActionsContext = createContext<NoteActions | undefined>(undefined);

/** A text beside the graph, for people. It is moved by its edge; Escape leaves the text for the note as a whole. */
export const NoteView = memo(function NoteView({ id, data }: NodeProps<CanvasNode>) {
  const actions = use(NoteActionsContext);
  const note = id.slice('note:'.length);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') actions?.select(note);
    else if ((event.key === 'Delete' || event.key === 'Backspace') && data.name === '') actions?.remove(note);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div className="editor-note">
      <textarea
        className="nodrag"
        aria-label={w.noteText}
        placeholder={w.noteText}
        maxLength={5000}
        readOnly={!actions}
        value={data.name}
        onChange={(event) => actions?.write(note, event.target.value)}
        onKeyDown={onKeyDown}
      />
    </div>
  );
});
