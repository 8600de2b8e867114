import { useCallback, useEffect } from 'react';
import { type TextEditorProps, useTextEditor } from '#console/automation/editor/expressions/use-text-editor.ts';
import type { CodeLanguage } from './code-format.ts';
import { codeExtensions, rangeAt } from './code-state.ts';
import type { CodeTypes } from './types/code-types.ts';
import type { ScopeSample } from './types/scope-types.ts';
import { TypeFaults } from './types/type-faults.tsx';
import { setTypeMarks } from './types/type-marks.ts';
import { useTypes } from './types/use-types.ts';

interface Props extends TextEditorProps {
  language: CodeLanguage;
  /** The place of the fault that the server found. */
  place: { line: number; column: number } | undefined;
  sample: ScopeSample;
}

/** An editor for code, with types and completions from the sample. It is loaded when code is first shown. */
export function CodeEditor(props: Props) {
  const key = `${props.id} ${props.language} ${props.isDisabled}`;
  return props.language === 'typescript' ? (
    <TypedEditor key={key} {...props} />
  ) : (
    <Mounted key={key} types={untyped} {...props} />
  );
}

const untyped: CodeTypes = { ask: () => Promise.resolve(undefined), found: { text: '', faults: [] } };

function TypedEditor(props: Props) {
  const { id, text, sample, view } = props;
  const types = useTypes(text, sample);
  return (
    <>
      <Mounted types={types} {...props} />
      <TypeFaults
        id={id}
        found={types.found}
        show={({ from }) => {
          const editor = view.current;
          if (!editor) return;
          editor.dispatch({ selection: { anchor: Math.min(from, editor.state.doc.length) }, scrollIntoView: true });
          editor.focus();
        }}
      />
    </>
  );
}

function Mounted(props: Props & { types: CodeTypes }) {
  const { language, isDisabled, types, view } = props;
  const { line, column } = props.place ?? {};
  const box = useTextEditor(
    props,
    (latest, made) =>
      codeExtensions({
        ...made,
        language,
        isDisabled,
        known: () => ({ entries: latest.current.sample.entries, types: latest.current.types }),
        change: (next) => latest.current.change(next),
      }),
    useCallback(
      (doc) => rangeAt(doc, line === undefined || column === undefined ? undefined : { line, column }),
      [line, column],
    ),
  );
  useEffect(() => {
    const { text, faults } = types.found;
    const editor = view.current;
    if (editor?.state.doc.toString() === text) editor.dispatch({ effects: setTypeMarks.of(faults) });
  }, [types.found, view]);
  return <div className="input expression code-editor" ref={box} />;
}
