import { StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView } from '@codemirror/view';
import type { Range } from '#console/automation/editor/expressions/expression-state.ts';

/** Says which places have faulty types. */
export const setTypeMarks = StateEffect.define<readonly Range[]>();

const mark = Decoration.mark({ class: 'code-type-fault' });

/** Underlines places with faulty types. */
export const typeMarks = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, { changes, effects }) {
    const set = effects.findLast((effect) => effect.is(setTypeMarks));
    if (!set) return marks.map(changes);
    return Decoration.set(
      set.value.map(({ from, to }) => mark.range(from, to)),
      true,
    );
  },
  provide: (field) => EditorView.decorations.from(field),
});
