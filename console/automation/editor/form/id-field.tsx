import { useId, useState } from 'react';
import { editorWords as w } from '#console/automation/editor/editor.words.ts';
import { idOf } from '#console/automation/editor/model/graph.ts';
import { Button } from '#console/ui/button.tsx';

/** The id of a node, which its expressions are read by. It changes when it is submitted, not while it is typed. */
export function IdField({
  path,
  isTaken,
  set,
  isDisabled,
}: {
  path: string;
  isTaken: (id: string) => boolean;
  set: (id: string) => void;
  isDisabled: boolean;
}) {
  const [typed, setTyped] = useState(idOf(path));
  const id = useId();
  const isOwn = typed === idOf(path);
  const fault = !/^[\w-]{1,64}$/.test(typed) ? w.badId : !isOwn && isTaken(typed) ? w.takenId : undefined;
  return (
    <form
      className="field"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isOwn && !fault) set(typed);
      }}
    >
      <label className="field-label" htmlFor={id}>
        {w.nodeId}
      </label>
      <span className="editor-inline">
        <input
          id={id}
          className="input"
          value={typed}
          disabled={isDisabled}
          aria-invalid={fault !== undefined}
          onChange={(event) => setTyped(event.target.value)}
        />
        {!isOwn && !fault && <Button type="submit">{w.rename}</Button>}
      </span>
      {fault && <p className="field-error">{fault}</p>}
    </form>
  );
}
