import { type Completion, type CompletionResult, pickedCompletion } from '@codemirror/autocomplete';
import type { EditorView } from '@codemirror/view';
import type { AskTypes } from './code-types.ts';
import type { Offers } from './protocol.ts';

const stillName = /^[\w$]*$/;

interface At {
  ask: AskTypes;
  text: string;
  at: number;
  /** Where the name that is being typed begins. */
  from: number;
}

/** Completions for the members of a value, or for the names that the code itself declares. */
export function offersAsCompletions({ offered }: Offers, { ask, text, at, from }: At): CompletionResult {
  const options = offered.map(({ name, replaces }): Completion => ({
    label: name,
    type: 'property',
    info: async () => drawType(await ask('offeredType', { text, at, name })),
    ...(replaces && {
      apply: (view: EditorView, completion: Completion, _from: number, to: number) => {
        const { insert } = replaces;
        view.dispatch({
          changes: { from: replaces.from, to, insert },
          selection: { anchor: replaces.from + insert.length },
          annotations: pickedCompletion.of(completion),
          userEvent: 'input.complete',
        });
      },
    }),
  }));
  return { from, options, validFor: stillName };
}

function drawType(type: string | undefined): Node | null {
  if (type === undefined || type === '') return null;
  const code = document.createElement('code');
  code.textContent = type;
  return code;
}
