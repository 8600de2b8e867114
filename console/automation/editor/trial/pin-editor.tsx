import { useId, useState } from 'react';
import type { Graph } from '#console/automation/editor/model/graph.ts';
import { readJson } from '#console/graph/exact-numbers.ts';
import { Button } from '#console/ui/button.tsx';
import { type PinFault, pinFault } from './pins.ts';
import { trialWords as w } from './trial.words.ts';

const faults: Readonly<Record<PinFault, string>> = {
  'not-json': w.pinNotJson,
  'not-object': w.pinNotObject,
  'too-many': w.pinTooMany,
  'too-large': w.pinTooLarge,
};

interface Props {
  graph: Graph;
  path: string;
  pinned: unknown;
  canEdit: boolean;
  /** Undefined unpins. */
  setPin: (outputs: unknown) => void;
}

/** The pinned outputs of a node, as JSON to be edited. */
export function PinEditor({ graph, path, pinned, canEdit, setPin }: Props) {
  const id = useId();
  const before = JSON.stringify(pinned, null, 2);
  const [text, setText] = useState(before);
  const read = parse(text);
  const fault: PinFault | undefined = read ? pinFault(graph, path, read.value) : 'not-json';
  return (
    <form
      className="field"
      onSubmit={(event) => {
        event.preventDefault();
        if (read && !fault) setPin(read.value);
      }}
    >
      <label className="field-label" htmlFor={id}>
        {w.pinnedOutputs}
      </label>
      <p className="quiet">{w.pinHelp}</p>
      <textarea
        id={id}
        className="input input-code"
        rows={6}
        spellCheck={false}
        value={text}
        disabled={!canEdit}
        aria-invalid={fault !== undefined}
        onChange={(event) => setText(event.target.value)}
      />
      {fault && <p className="field-error">{faults[fault]}</p>}
      {canEdit && (
        <div className="panel-actions">
          {text !== before && (
            <Button type="submit" isDisabled={fault !== undefined}>
              {w.changePin}
            </Button>
          )}
          <Button onPress={() => setPin(undefined)}>{w.unpin}</Button>
        </div>
      )}
    </form>
  );
}

function parse(text: string): { value: unknown } | undefined {
  try {
    return { value: readJson(text) };
  } catch {
    return undefined;
  }
}
