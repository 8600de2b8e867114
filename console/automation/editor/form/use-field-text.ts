import { useEffect, useState } from 'react';
import { fromText, toText, type Writing } from './config-value.ts';

/** Text that is kept as it is typed, and becomes a value as soon as it is one. It begins with `typed`, else with the value. */
export function useFieldText(value: unknown, writing: Writing, set: (value: unknown) => void, typed?: string) {
  const [text, setText] = useState(() => typed ?? toText(value, writing));
  const [fault, setFault] = useState<'number' | 'json'>();
  const shown = toText(value, writing);
  useEffect(() => {
    // Undo and other people change the value too; what is being typed stays while it stands for the same value.
    const read = fromText(text, writing);
    if (!('fault' in read) && toText(read.value, writing) !== shown) setText(shown);
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- only a change from outside is taken over
  }, [shown]);
  const write = (next: string) => {
    setText(next);
    const read = fromText(next, writing);
    setFault('fault' in read ? read.fault : undefined);
    if (!('fault' in read)) set(read.value);
  };
  return { text, fault, write };
}
