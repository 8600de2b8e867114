import { useCallback } from 'react';
import type { ScopeEntry } from '#console/automation/editor/expressions/completions.ts';
import { type TextEditorProps, useTextEditor } from '#console/automation/editor/expressions/use-text-editor.ts';
import type { CodeLanguage } from './code-format.ts';
import { codeExtensions, rangeAt } from './code-state.ts';

interface Props extends TextEditorProps {
  language: CodeLanguage;
  /** The place of the fault that the server found. */
  place: { line: number; column: number } | undefined;
  entries: readonly ScopeEntry[];
}

/** An editor for code with completions from the scope. It is loaded when code is first shown. */
export const CodeEditor = (props: Props) => (
  <Mounted key={`${props.id} ${props.language} ${props.isDisabled}`} {...props} />
);

function Mounted(props: Props) {
  const { language, isDisabled } = props;
  const { line, column } = props.place ?? {};
  const box = useTextEditor(
    props,
    (latest, made) =>
      codeExtensions({
        ...made,
        language,
        isDisabled,
        known: () => latest.current.entries,
        change: (next) => latest.current.change(next),
      }),
    useCallback(
      (doc) => rangeAt(doc, line === undefined || column === undefined ? undefined : { line, column }),
      [line, column],
    ),
  );
  return <div className="input expression code-editor" ref={box} />;
}
