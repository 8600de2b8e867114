import { autocompletion, completionKeymap } from '@codemirror/autocomplete';
import { history, historyKeymap, standardKeymap } from '@codemirror/commands';
import { EditorState, type Extension, StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, keymap, MatchDecorator, ViewPlugin } from '@codemirror/view';
import { type Completed, completions } from './completions.ts';
import { listBelowCursor } from './list-below-cursor.ts';
import { isWithinBraces } from './template.ts';

export interface Range {
  from: number;
  to: number;
}

/** Says which places are at fault. */
export const setFaults = StateEffect.define<readonly Range[]>();

const fault = Decoration.mark({ class: 'expression-fault' });

/** Underlines faulty places. */
export const faults = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, transaction) {
    let next = marks.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (!effect.is(setFaults)) continue;
      next = Decoration.set(
        effect.value.map(({ from, to }) => fault.range(from, to)),
        true,
      );
    }
    return next;
  },
  provide: (field) => EditorView.decorations.from(field),
});

const braces = new MatchDecorator({
  regexp: /(?<!\\)\{\{[\s\S]*?\}\}/g,
  decoration: Decoration.mark({ class: 'expression-part' }),
});

/** Draws what is between braces apart from the text around it. */
const parts = ViewPlugin.define(
  (view) => ({
    decorations: braces.createDeco(view),
    update(update) {
      this.decorations = braces.updateDeco(update, this.decorations);
    },
  }),
  { decorations: (plugin) => plugin.decorations },
);

/** Ends `{{` with `}}` as soon as it is typed, and lets that be typed over. */
const closeBraces = EditorView.inputHandler.of((view, from, to, typed) => {
  const { doc } = view.state;
  const text = doc.toString();
  if (typed === '{' && from === to && text[from - 1] === '{' && text[from - 2] !== '{' && text[from - 2] !== '\\') {
    if (isWithinBraces(text, from - 1) || text.startsWith('}}', from)) return false;
    view.dispatch({ changes: { from, to, insert: '{}}' }, selection: { anchor: from + 1 }, userEvent: 'input.type' });
    return true;
  }
  if (typed !== '}' || from !== to || text[from] !== '}' || !endsBraces(text, from)) return false;
  view.dispatch({ selection: { anchor: from + 1 }, userEvent: 'select' });
  return true;
});

/** Whether the `}` at a place belongs to the end of an expression. */
const endsBraces = (text: string, at: number): boolean =>
  (text[at + 1] === '}' && isWithinBraces(text, at)) || (text[at - 1] === '}' && isWithinBraces(text, at - 1));

interface Given {
  isBare: boolean;
  /** Attributes of the element that has the focus. */
  attributes: Record<string, string>;
  isDisabled: boolean;
  nonce: string;
  known: () => Completed;
  change: (text: string) => void;
}

/** What the editor of one expression is made of. Tab is not bound, so it leaves the field. */
export const expressionExtensions = ({ isBare, attributes, isDisabled, nonce, known, change }: Given): Extension => [
  EditorView.cspNonce.of(nonce),
  EditorState.readOnly.of(isDisabled),
  EditorView.editable.of(!isDisabled),
  EditorView.contentAttributes.of(attributes),
  EditorView.lineWrapping,
  history(),
  faults,
  parts,
  closeBraces,
  autocompletion({
    override: [completions(known, isBare)],
    icons: false,
    activateOnTypingDelay: 50,
    maxRenderedOptions: 60,
  }),
  listBelowCursor,
  keymap.of([...completionKeymap, ...historyKeymap, ...standardKeymap]),
  EditorView.updateListener.of((update) => {
    if (update.docChanged) change(update.state.doc.toString());
  }),
];
