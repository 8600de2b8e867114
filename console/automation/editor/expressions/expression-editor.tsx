import { EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';
import type { Completed } from './completions.ts';
import { expressionExtensions, type Range, setFaults } from './expression-state.ts';

/** The nonce with which the page's content security policy allows styles. */
export const pageNonce = (): string =>
  document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';

interface Props {
  id: string;
  text: string;
  change: (text: string) => void;
  isBare: boolean;
  isDisabled: boolean;
  isInvalid: boolean;
  /** The places that the last evaluation found at fault. */
  faults: readonly Range[];
  completed: Completed;
  /** Where the cursor is at first, if the editor takes the focus. */
  focusAt: number | undefined;
  /** Set while the editor is there. */
  view: RefObject<EditorView | null>;
}

/** An editor of one text with expressions: CodeMirror, told what is in scope. */
export function ExpressionEditor(props: Props) {
  const { id, text, isBare, isDisabled, isInvalid, faults, focusAt, view: shown } = props;
  const place = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  latest.current = props;
  useLayoutEffect(() => {
    const attributes = {
      id,
      'aria-labelledby': `${id}-label`,
      'aria-describedby': `${id}-help ${id}-value ${id}-problem`,
      spellcheck: 'false',
      ...(isDisabled && { 'aria-readonly': 'true', tabindex: '0' }),
    };
    const extensions = expressionExtensions({
      isBare,
      isDisabled,
      attributes,
      nonce: pageNonce(),
      known: () => latest.current.completed,
      change: (next) => latest.current.change(next),
    });
    const view = new EditorView({
      state: EditorState.create({ doc: latest.current.text, extensions }),
      parent: place.current as HTMLElement,
    });
    shown.current = view;
    if (focusAt !== undefined) {
      view.focus();
      view.dispatch({ selection: { anchor: Math.min(focusAt, view.state.doc.length) } });
    }
    return () => {
      shown.current = null;
      view.destroy();
    };
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the editor lives as long as the field, and reads what is newer from `latest`
  }, [id, isBare, isDisabled]);
  useEffect(() => {
    const view = shown.current;
    if (!view || view.state.doc.toString() === text) return;
    view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
  }, [text, shown]);
  useEffect(() => {
    const { length = 0 } = shown.current?.state.doc ?? {};
    const fitting = faults.filter(({ from, to }) => from < to && to <= length);
    shown.current?.dispatch({ effects: setFaults.of(fitting) });
  }, [faults, shown]);
  useEffect(() => {
    shown.current?.contentDOM.setAttribute('aria-invalid', String(isInvalid));
  }, [isInvalid, shown]);
  return <div className="input expression" ref={place} />;
}
