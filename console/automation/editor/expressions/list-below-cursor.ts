import { type EditorView, ViewPlugin } from '@codemirror/view';

/** Between the line of the cursor and the list, in pixels. */
const gap = 4;

const place = {
  key: 'list below cursor',
  read(view: EditorView) {
    const list = view.dom.querySelector<HTMLElement>('.cm-tooltip-autocomplete.cm-tooltip-below');
    const cursor = view.coordsAtPos(view.state.selection.main.head);
    if (!list || !cursor) return undefined;
    const top = list.getBoundingClientRect().top - (Number.parseFloat(list.style.marginTop) || 0);
    return { list, missing: Math.max(0, cursor.bottom + gap - top) };
  },
  write(found: { list: HTMLElement; missing: number } | undefined) {
    if (found) found.list.style.marginTop = `${found.missing}px`;
  },
};

/**
 * Keeps the list of completions below the line of the cursor. CodeMirror puts it below the line on which the completed path begins; a path that is
 * wrapped goes on below that. It places the list when it writes, so this measures after that.
 */
export const listBelowCursor = ViewPlugin.define((view) => ({
  update: () => view.requestMeasure({ key: place, read: () => undefined, write: () => view.requestMeasure(place) }),
}));
