import { type KeyboardEvent, useState } from 'react';
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
  const [typed, setTyped] = useState(text);
  const isOwn = typed === text || cellText(cellValue(typed)) === text;
  return (
    <input
      id={id}
      className="input input-code"
      aria-label={label}
      data-field={field}
      value={isOwn ? typed : text}
      disabled={isDisabled}
      spellCheck={false}
      onChange={(event) => {
        setTyped(event.target.value);
        set(event.target.value);
      }}
      onKeyDown={onKeyDown}
    />
  );
}
