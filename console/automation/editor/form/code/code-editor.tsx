import { EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';
import type { ScopeEntry } from '#console/automation/editor/expressions/completions.ts';
import { pageNonce } from '#console/automation/editor/expressions/expression-editor.tsx';
import { setFaults } from '#console/automation/editor/expressions/expression-state.ts';
import type { CodeLanguage } from './code-format.ts';
import { codeExtensions, rangeAt } from './code-state.ts';

interface Props {
  id: string;
  language: CodeLanguage;
  text: string;
  change: (text: string) => void;
  isDisabled: boolean;
  isInvalid: boolean;
  /** The place of the fault that the server found. */
  place: { line: number; column: number } | undefined;
  entries: readonly ScopeEntry[];
  /** Set while the editor is mounted. */
  view: RefObject<EditorView | null>;
}

/** An editor for code with completions from the scope. It is loaded when code is first shown. */
export function CodeEditor(props: Props) {
  const { id, language, text, isDisabled, isInvalid, place, view } = props;
  const box = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  latest.current = props;
  useLayoutEffect(() => {
    const extensions = codeExtensions({
      language,
      isDisabled,
      attributes: {
        id,
        'aria-labelledby': `${id}-label`,
        'aria-describedby': `${id}-help ${id}-problem`,
        spellcheck: 'false',
        ...(isDisabled && { 'aria-readonly': 'true', tabindex: '0' }),
      },
      nonce: pageNonce(),
      known: () => latest.current.entries,
      change: (next) => latest.current.change(next),
    });
    const made = new EditorView({
      state: EditorState.create({ doc: latest.current.text, extensions }),
      parent: box.current as HTMLElement,
    });
    view.current = made;
    return () => {
      view.current = null;
      made.destroy();
    };
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the editor lives as long as the field, and reads newer values from `latest`
  }, [id, language, isDisabled]);
  useEffect(() => {
    const shown = view.current;
    if (!shown || shown.state.doc.toString() === text) return;
    shown.dispatch({ changes: { from: 0, to: shown.state.doc.length, insert: text } });
  }, [text, view]);
  const { line, column } = place ?? {};
  useEffect(() => {
    const shown = view.current;
    if (!shown) return;
    const at = line === undefined || column === undefined ? undefined : { line, column };
    shown.dispatch({ effects: setFaults.of(rangeAt(shown.state.doc, at)) });
  }, [line, column, view]);
  useEffect(() => {
    view.current?.contentDOM.setAttribute('aria-invalid', String(isInvalid));
  }, [isInvalid, view]);
  return <div className="input expression code-editor" ref={box} />;
}
