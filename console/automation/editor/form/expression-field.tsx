import type { EditorView } from '@codemirror/view';
import { type RefObject, useContext } from 'react';
import { ExpressionEditor } from '#console/automation/editor/expressions/expression-editor.tsx';
import type { Writing } from './config-value.ts';
import { type FormData, FormDataContext } from './field-target.ts';
import { TextFault } from './text-fault.tsx';
import { useExpressionValue } from './use-expression-value.ts';
import { useFieldText } from './use-field-text.ts';
import { ValueLine } from './value-line.tsx';

interface Props {
  id: string;
  label: string;
  value: unknown;
  set: (value: unknown) => void;
  writing: Writing;
  /** Whether it is an expression without braces. */
  isBare: boolean;
  isDisabled: boolean;
  problem: string | undefined;
  start: Expressed;
  view: RefObject<EditorView | null>;
}

/** How a field became an expression: with a text that may not be a value yet, and the cursor in it. */
export interface Expressed {
  text?: string;
  focusAt?: number;
}

/** A field that holds an expression, with what that yields in the sample. */
export function ExpressionField(props: Props) {
  const { id, label, value, set, writing, isBare, isDisabled, problem, start, view } = props;
  const form = useContext(FormDataContext) as FormData;
  const { text, fault, write } = useFieldText(value, writing, set, start.text);
  const shown = useExpressionValue(text, { isJson: writing === 'json', isBare, id }, form);
  const { message, faults, isExpression } = shown;
  const isSaid = message !== undefined && problem?.includes(message) === true;
  return (
    <>
      <ExpressionEditor
        {...{ id, text, isBare, isDisabled, faults, view }}
        focusAt={start.focusAt}
        change={write}
        isInvalid={message !== undefined || fault !== undefined || problem !== undefined}
        completed={form.data}
      />
      <TextFault {...{ text, fault }} mend={write} />
      {isExpression && <ValueLine id={`${id}-value`} {...{ label, shown, isSaid }} />}
    </>
  );
}
