import type { EditorView } from '@codemirror/view';
import { type KeyboardEvent, useContext, useEffect, useRef, useState } from 'react';
import { insertInto } from '#console/automation/editor/expressions/insert-into.ts';
import { pathKind } from '#console/automation/editor/expressions/scope-tree.tsx';
import {
  insertPath,
  isWithinBraces,
  toExpression,
  withInsertion,
} from '#console/automation/editor/expressions/template.ts';
import { hasExpressions } from '#console/automation/editor/form/config-value.ts';
import { OfferContext } from '#console/automation/editor/form/field-target.ts';
import { CellExpression } from './cell-expression.tsx';
import { cellText, cellValue } from './table-value.ts';

interface Props {
  id: string | undefined;
  label: string;
  /** Its path in the config; undefined for a name. */
  field: string | undefined;
  text: string;
  /** True if the text itself is the value, even if it looks like a number or another type. */
  isText: boolean;
  isDisabled: boolean;
  set: (text: string) => void;
  onKeyDown: (event: KeyboardEvent) => void;
}

/** The text of one cell. What is typed stays as it is while it stands for the same value, such as `1.0` for `1`. */
export function CellInput({ id, label, field, text, isText, isDisabled, set, onKeyDown }: Props) {
  const offer = useContext(OfferContext);
  const input = useRef<HTMLTextAreaElement>(null);
  const view = useRef<EditorView>(null);
  const [typed, setTyped] = useState(text);
  /** Set once the cell has held an expression: its editor then stays, also when the last brace is removed. */
  const [expressed, setExpressed] = useState<{ focusAt?: number } | undefined>();
  const isOwn = typed === text || (!isText && cellText(cellValue(typed)) === text);
  const shown = isOwn ? typed : text;
  const write = (next: string) => {
    setTyped(next);
    set(next);
  };
  const express = (next: string, focusAt: number) => {
    write(next);
    setExpressed({ focusAt });
  };
  const insert = (path: string, dropped?: { x: number; y: number }) => {
    if (view.current) return insertInto(view.current, { path, isJson: false, isBare: false }, dropped);
    const { selectionStart, selectionEnd } = input.current ?? {};
    const range = { from: selectionStart ?? shown.length, to: selectionEnd ?? shown.length };
    const change = insertPath(shown, range, { path, isJson: false, isBare: false });
    express(withInsertion(shown, change), change.from + change.insert.length);
  };
  const latest = useRef(insert);
  useEffect(() => {
    latest.current = insert;
  });
  const takesPaths = offer !== undefined && field !== undefined;
  return (
    <div
      data-field={field}
      onDropCapture={(event) => {
        const path = event.dataTransfer.getData(pathKind);
        // In a plain text, the browser inserts the path itself where it is dropped.
        if (path === '' || !view.current) return;
        event.preventDefault();
        event.stopPropagation();
        insert(path, { x: event.clientX, y: event.clientY });
      }}
      onFocus={(event) => {
        // The path of a value belongs into this cell, not at a place of the JSON of the whole field.
        event.stopPropagation();
        offer?.({ insert: (path, dropped) => (takesPaths ? latest.current(path, dropped) : undefined) }, true);
      }}
    >
      {takesPaths && (expressed || hasExpressions(shown)) ? (
        <CellExpression {...{ label, isDisabled, view, write, onKeyDown }} text={shown} focusAt={expressed?.focusAt} />
      ) : (
        <textarea
          ref={input}
          rows={1}
          id={id}
          className="input input-code"
          aria-label={label}
          value={shown}
          disabled={isDisabled}
          spellCheck={false}
          onChange={({ target }) => {
            const at = target.selectionStart;
            if (takesPaths && isWithinBraces(target.value, at)) express(toExpression(target.value, at), at);
            else if (takesPaths && hasExpressions(target.value)) express(target.value, at);
            else write(target.value);
          }}
          onKeyDown={onKeyDown}
        />
      )}
    </div>
  );
}
