import { useId, useState } from 'react';
import { editorWords as w } from '#console/automation/editor/editor.words.ts';
import { idOf } from '#console/automation/editor/model/graph.ts';

/** The id of a node, which its expressions are read by. It changes when it is left or submitted, not while it is typed. */
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
  const rename = () => {
    if (!isOwn && !fault) set(typed);
  };
  return (
    <form
      className="field"
      onSubmit={(event) => {
        event.preventDefault();
        rename();
      }}
    >
      <label className="field-label" htmlFor={id}>
        {w.nodeId}
      </label>
      <input
        id={id}
        className="input"
        value={typed}
        disabled={isDisabled}
        aria-invalid={fault !== undefined}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={rename}
      />
      {fault && <p className="field-error">{fault}</p>}
    </form>
  );
}
