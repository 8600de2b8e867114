import { type InputHTMLAttributes, useState } from 'react';
import { type ReadNumber, readNumber } from './read-number.ts';

interface Props extends Omit<InputHTMLAttributes<HTMLInputElement>, 'value'> {
  value: unknown;
  set: (value: unknown) => void;
}

/** A number with all its digits. What is typed stays as it is typed: `0.0` is on the way to `0.05`. */
export function NumberField({ value, set, ...attributes }: Props) {
  const [typed, setTyped] = useState('');
  return (
    <input
      {...attributes}
      className="input"
      inputMode="decimal"
      value={isSame(readNumber(typed), value) ? typed : shown(value)}
      onChange={({ target }) => {
        setTyped(target.value);
        set(readNumber(target.value));
      }}
    />
  );
}

const shown = (value: unknown): string => (value == null ? '' : (value as ReadNumber).toString());
const isSame = (a: unknown, b: unknown): boolean => shown(a) === shown(b);
