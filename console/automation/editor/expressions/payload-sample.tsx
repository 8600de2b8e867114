import { useId, useState } from 'react';
import type { Trigger } from '#console/automation/editor/canvas/canvas-elements.ts';
import { editorWords } from '#console/automation/editor/editor.words.ts';
import { useWrittenPayload } from '#console/automation/editor/sample/written-payload.ts';
import { expressionWords as w } from './expressions.words.ts';
import { inEnvelope, readPayload } from './payload-entries.ts';

/** Takes a payload for a workflow that has not run yet: its members are completed and expressions are tried with it. */
export function PayloadSample({ workflowId, triggers }: { workflowId: string; triggers: readonly Trigger[] }) {
  const [written, write] = useWrittenPayload(workflowId);
  const [text, setText] = useState(written ?? '');
  const id = useId();
  const isBroken = text.trim() !== '' && readPayload(text) === undefined;
  return (
    <details className="editor-payload">
      <summary>{w.pastePayload}</summary>
      <div className="field">
        <textarea
          className="input input-code"
          rows={6}
          spellCheck={false}
          aria-label={w.samplePayload}
          aria-describedby={`${id}-help`}
          aria-invalid={isBroken}
          value={text}
          onChange={({ target }) => {
            setText(target.value);
            const sample = readPayload(target.value);
            if (sample !== undefined) write(JSON.stringify(inEnvelope(sample, triggers), null, 2));
          }}
        />
        {isBroken && <p className="field-error">{editorWords.notJson}</p>}
        <p className="field-help" id={`${id}-help`}>
          {w.payloadHelp}
        </p>
      </div>
    </details>
  );
}
