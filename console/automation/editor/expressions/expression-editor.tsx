import { useCallback } from 'react';
import type { Completed } from './completions.ts';
import { expressionExtensions, type Range } from './expression-state.ts';
import { type TextEditorProps, useTextEditor } from './use-text-editor.ts';

interface Props extends TextEditorProps {
  isBare: boolean;
  /** The places that the last evaluation found at fault. */
  faults: readonly Range[];
  completed: Completed;
}

/** An editor of one text with expressions: CodeMirror, told what is in scope. */
export const ExpressionEditor = (props: Props) => (
  <Mounted key={`${props.id} ${props.isBare} ${props.isDisabled}`} {...props} />
);

function Mounted(props: Props) {
  const { faults, isBare, isDisabled } = props;
  const place = useTextEditor(
    props,
    (latest, made) =>
      expressionExtensions({
        ...made,
        isBare,
        isDisabled,
        known: () => latest.current.completed,
        change: (next) => latest.current.change(next),
      }),
    useCallback((doc) => faults.filter(({ from, to }) => from < to && to <= doc.length), [faults]),
  );
  return <div className="input expression" ref={place} />;
}
