import { Button } from '#console/ui/button.tsx';
import { ToneShape } from '#console/ui/state.tsx';
import { common } from '#console/words/common.words.ts';
import type { DraftState } from './draft/draft-state.ts';
import { editorWords as w } from './editor.words.ts';

/** The states in which changes stay here until something else happens. */
const held: ReadonlySet<DraftState['saving']> = new Set(['unreachable', 'busy', 'refused', 'conflict']);

interface Props {
  state: DraftState;
  /** Saves now. */
  retry: () => void;
  /** The reason, for a reader who may not edit. */
  cannotEdit: string | undefined;
}

/** How far the server has the draft: a warning while it does not take it, with the way to try again. */
export function SavingState({ state, retry, cannotEdit }: Props) {
  const isHeld = cannotEdit === undefined && (held.has(state.saving) || !state.isKept);
  return (
    <span className={isHeld ? 'editor-saving is-held' : 'editor-saving'}>
      <span role="status">
        {isHeld && <ToneShape tone="waiting" />}
        {cannotEdit ?? savingText(state)}
      </span>
      {isHeld && state.saving !== 'conflict' && state.saving !== 'saved' && (
        <Button onPress={retry}>{common.tryAgain}</Button>
      )}
    </span>
  );
}

function savingText({ saving, message = '', isKept }: DraftState): string {
  if (saving === 'unreachable') return isKept ? w.unreachable : w.notKept;
  if (!isKept && saving === 'saved') return w.savedNoRoom;
  if (!isKept)
    return `${saving === 'refused' ? w.refused(message) : w[saving === 'conflict' ? 'conflictState' : saving]} ${w.noRoom}`;
  if (saving === 'refused') return w.refused(message);
  return saving === 'conflict' ? w.conflictState : w[saving];
}
