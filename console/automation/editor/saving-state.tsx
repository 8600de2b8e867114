import type { DraftState } from './draft/draft-state.ts';
import { editorWords as w } from './editor.words.ts';

/** How far the server has the draft. */
export function SavingState({ state, cannotEdit }: { state: DraftState; cannotEdit: string | undefined }) {
  return (
    <span className="editor-saving" role="status">
      {cannotEdit ?? savingText(state)}
    </span>
  );
}

function savingText({ saving, message = '', isKept }: DraftState): string {
  if (saving === 'unreachable') return isKept ? w.unreachable : w.notKept;
  if (!isKept)
    return `${saving === 'refused' ? w.refused(message) : w[saving === 'conflict' ? 'conflictState' : saving]} ${w.noRoom}`;
  if (saving === 'refused') return w.refused(message);
  return saving === 'conflict' ? w.conflictState : w[saving];
}
