import { useState } from 'react';
import { useClient } from 'urql';
import { TryDraft } from '#console/automation/editor/editor.documents.ts';
import { editorWords as w } from '#console/automation/editor/editor.words.ts';
import { readJson } from '#console/graph/exact-numbers.ts';
import { mutate } from '#console/graph/mutate.ts';
import { Button } from '#console/ui/button.tsx';
import { ObjectLink } from '#console/ui/object-link.tsx';
import { Panel } from '#console/ui/panel.tsx';

/** Starts a test run: of the draft where there is one, as it was saved last. */
export function TryPanel({
  workflowId,
  hasDraft,
  flush,
  close,
}: {
  workflowId: string;
  hasDraft: boolean;
  flush: () => Promise<void>;
  close: () => void;
}) {
  const client = useClient();
  const [text, setText] = useState('{}');
  const [isBusy, setBusy] = useState(false);
  const [outcome, setOutcome] = useState<{ refusal: string } | { run: string }>();
  const start = async () => {
    let payload: unknown;
    try {
      payload = readJson(text);
    } catch {
      setOutcome({ refusal: w.notJson });
      return;
    }
    setBusy(true);
    await flush();
    const part = hasDraft ? { draft: true } : { pins: {} };
    const result = await mutate(client, TryDraft, { workflowId, payload, ...part });
    setBusy(false);
    if (result.refusal)
      setOutcome({ refusal: [result.refusal.message, ...Object.values(result.refusal.fields)].join(' ') });
    else setOutcome({ run: (result.payload['run'] as { id: string }).id });
  };
  return (
    <Panel title={w.tryIt} close={close}>
      <form
        className="panel-body"
        onSubmit={(event) => {
          event.preventDefault();
          void start();
        }}
      >
        <p>{w.tryHelp}</p>
        <label className="field">
          <span className="field-label">{w.payload}</span>
          <textarea
            className="input input-code"
            rows={8}
            spellCheck={false}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </label>
        {outcome && 'refusal' in outcome && (
          <p className="refusal" role="alert">
            {outcome.refusal}
          </p>
        )}
        {outcome && 'run' in outcome && (
          <p role="status">
            {w.started}{' '}
            <ObjectLink noun="runs" id={outcome.run}>
              {w.openRun}
            </ObjectLink>
          </p>
        )}
        <div className="panel-actions">
          <Button kind="main" type="submit" isBusy={isBusy}>
            {w.tryIt}
          </Button>
        </div>
      </form>
    </Panel>
  );
}
