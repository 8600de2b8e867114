import type { EditorView } from '@codemirror/view';
import { insertPath } from './template.ts';

/** Puts the path of a value at the cursor of an editor, or at the place of the window where it was dropped. */
export function insertInto(
  view: EditorView,
  how: { path: string; isJson: boolean; isBare: boolean },
  dropped?: { x: number; y: number },
): void {
  const at = dropped && view.posAtCoords(dropped, false);
  const range = at === undefined ? view.state.selection.main : { from: at, to: at };
  const { from, to, insert } = insertPath(view.state.doc.toString(), range, how);
  view.focus();
  view.dispatch({
    changes: { from, to, insert },
    selection: { anchor: from + insert.length },
    userEvent: 'input.insert',
    scrollIntoView: true,
  });
}
