import type { NodeProps } from '@xyflow/react';
import { createContext, memo, use } from 'react';
import { editorWords as w } from '#console/automation/editor/editor.words.ts';
import type { CanvasNode } from './canvas-elements.ts';

/** How a note changes its text, by its id; absent for those who may only look. */
export const WriteNote = createContext<((id: string, text: string) => void) | undefined>(undefined);

/** A text beside the graph, for people. It is moved by its edge. */
export const NoteView = memo(function NoteView({ id, data }: NodeProps<CanvasNode>) {
  const write = use(WriteNote);
  return (
    <div className="editor-note">
      <textarea
        className="nodrag"
        aria-label={w.noteText}
        placeholder={w.noteText}
        maxLength={5000}
        readOnly={!write}
        value={data.name}
        onChange={(event) => write?.(id.slice('note:'.length), event.target.value)}
      />
    </div>
  );
});
