import { type KeyboardEvent, useContext, useEffect, useRef, useState } from 'react';
import { insertPath } from '#console/automation/editor/expressions/template.ts';
import { FormDataContext } from '#console/automation/editor/form/field-target.ts';
import { cellText, cellValue } from './table-value.ts';

interface Props {
  id: string | undefined;
  label: string;
  /** Its path in the config; undefined for a name. */
  field: string | undefined;
  text: string;
  isDisabled: boolean;
  set: (text: string) => void;
  onKeyDown: (event: KeyboardEvent) => void;
}

/** The text of one cell. What is typed stays as it is while it stands for the same value, such as `1.0` for `1`. */
export function CellInput({ id, label, field, text, isDisabled, set, onKeyDown }: Props) {
  const form = useContext(FormDataContext);
  const input = useRef<HTMLTextAreaElement>(null);
  const [typed, setTyped] = useState(text);
  const isOwn = typed === text || cellText(cellValue(typed)) === text;
  const shown = isOwn ? typed : text;
  const write = (next: string) => {
    setTyped(next);
    set(next);
  };
  const insert = (path: string) => {
    const { selectionStart, selectionEnd } = input.current ?? {};
    const range = { from: selectionStart ?? shown.length, to: selectionEnd ?? shown.length };
    const change = insertPath(shown, range, { path, isJson: false, isBare: false });
    write(shown.slice(0, change.from) + change.insert + shown.slice(change.to));
    input.current?.focus();
  };
  const latest = useRef(insert);
  useEffect(() => {
    latest.current = insert;
  });
  return (
    <textarea
      ref={input}
      rows={1}
      id={id}
      className="input input-code"
      aria-label={label}
      data-field={field}
      value={shown}
      disabled={isDisabled}
      spellCheck={false}
      onChange={(event) => write(event.target.value)}
      onFocus={(event) => {
        // The path of a value belongs into this cell, not at a place of the JSON of the whole field.
        event.stopPropagation();
        form?.offer({ insert: (path) => (field === undefined ? undefined : latest.current(path)) }, true);
      }}
      onKeyDown={onKeyDown}
    />
  );
}
