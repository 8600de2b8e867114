import { useState } from 'react';
import { Button } from '#console/ui/button.tsx';
import { tableWords as w } from './table.words.ts';

/** Asks for the name of a column. It is in the value once a cell of it is filled. */
export function AddColumn({
  isDisabled,
  isTaken,
  add,
}: {
  isDisabled: boolean;
  isTaken: (name: string) => boolean;
  add: (name: string) => void;
}) {
  const [name, setName] = useState('');
  return (
    <form
      className="editor-inline"
      onSubmit={(event) => {
        event.preventDefault();
        if (name === '' || isTaken(name)) return;
        add(name);
        setName('');
      }}
    >
      <input
        className="input"
        aria-label={w.column}
        placeholder={w.column}
        value={name}
        disabled={isDisabled}
        onChange={(event) => setName(event.target.value)}
      />
      <Button type="submit" isDisabled={isDisabled || name === '' || isTaken(name)}>
        {w.addColumn}
      </Button>
    </form>
  );
}
