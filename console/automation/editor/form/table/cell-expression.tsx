import { completionStatus } from '@codemirror/autocomplete';
import type { EditorView } from '@codemirror/view';
import { type KeyboardEvent, type RefObject, useContext, useId } from 'react';
import { ExpressionEditor } from '#console/automation/editor/expressions/expression-editor.tsx';
import { type FormData, FormDataContext } from '#console/automation/editor/form/field-target.ts';
import { useExpressionValue } from '#console/automation/editor/form/use-expression-value.ts';
import { ValueLine } from '#console/automation/editor/form/value-line.tsx';

interface Props {
  label: string;
  text: string;
  isDisabled: boolean;
  /** Where the cursor is at first, if the cell takes the focus. */
  focusAt: number | undefined;
  view: RefObject<EditorView | null>;
  write: (text: string) => void;
  onKeyDown: (event: KeyboardEvent) => void;
}

/** A cell that holds an expression, with what that yields in the sample. */
export function CellExpression({ label, text, isDisabled, focusAt, view, write, onKeyDown }: Props) {
  const form = useContext(FormDataContext) as FormData;
  const id = useId();
  const shown = useExpressionValue(text, { isJson: false, isBare: false, id }, form);
  return (
    <div
      onKeyDownCapture={(event) => {
        // Enter takes what is offered, and goes to the next row only where nothing is.
        if (view.current && completionStatus(view.current.state) === 'active') return;
        onKeyDown(event);
        if (event.defaultPrevented) event.stopPropagation();
      }}
    >
      <span className="sr-only" id={`${id}-label`}>
        {label}
      </span>
      <ExpressionEditor
        {...{ id, text, isDisabled, focusAt, view }}
        isBare={false}
        faults={shown.faults}
        change={write}
        isInvalid={shown.message !== undefined}
        completed={form.data}
      />
      {shown.isExpression && <ValueLine id={`${id}-value`} {...{ label, shown }} />}
    </div>
  );
}
