import { EditorState, type Extension, type Text } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { type RefObject, useEffect, useImperativeHandle, useLayoutEffect, useRef } from 'react';
import { pageNonce } from '#console/ui/page-nonce.ts';
import { type Range, setFaults } from './expression-state.ts';

/** The settings that every text editor gets from its field. */
export interface TextEditorProps {
  id: string;
  text: string;
  change: (text: string) => void;
  isDisabled: boolean;
  isInvalid: boolean;
  /** Where the cursor is at first, if the editor takes the focus. */
  focusAt?: number | undefined;
  /** Set while the editor is mounted. */
  view: RefObject<EditorView | null>;
}

interface Made {
  attributes: Record<string, string>;
  nonce: string;
}

/**
 * Mounts CodeMirror in the element of the returned ref and keeps it for the life of the component. Give the component a `key` of everything that
 * `makeExtensions` reads when it is called; functions that it passes on read later values from `latest`.
 */
export function useTextEditor<P extends TextEditorProps>(
  props: P,
  makeExtensions: (latest: RefObject<P>, made: Made) => Extension,
  findFaults: (doc: Text) => readonly Range[],
): RefObject<HTMLDivElement | null> {
  const { text, isInvalid, view: exposed } = props;
  const shown = useRef<EditorView>(null);
  const place = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  useLayoutEffect(() => {
    latest.current = props;
  });
  const make = useRef(makeExtensions);
  useLayoutEffect(() => {
    const { id, isDisabled, focusAt, text: doc } = latest.current;
    const attributes = {
      id,
      'aria-labelledby': `${id}-label`,
      'aria-describedby': `${id}-help ${id}-value ${id}-problem ${id}-types`,
      spellcheck: 'false',
      ...(isDisabled && { 'aria-readonly': 'true', tabindex: '0' }),
    };
    const extensions = make.current(latest, { attributes, nonce: pageNonce() });
    const view = new EditorView({
      state: EditorState.create({ doc, extensions }),
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
  }, []);
  // The effect above has run by now.
  useImperativeHandle(exposed, () => shown.current as EditorView, []);
  useEffect(() => {
    const view = shown.current;
    if (!view || view.state.doc.toString() === text) return;
    view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
  }, [text]);
  useEffect(() => {
    const view = shown.current;
    if (view) view.dispatch({ effects: setFaults.of(findFaults(view.state.doc)) });
  }, [findFaults]);
  useEffect(() => {
    shown.current?.contentDOM.setAttribute('aria-invalid', String(isInvalid));
  }, [isInvalid]);
  return place;
}
