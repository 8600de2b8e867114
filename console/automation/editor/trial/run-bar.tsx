import { useState } from 'react';
import { useClient } from 'urql';
import type { Editing } from '#console/automation/editor/use-editing.ts';
import { mutate } from '#console/graph/mutate.ts';
import { Button } from '#console/ui/button.tsx';
import { notify } from '#console/ui/notices.ts';
import { ObjectLink } from '#console/ui/object-link.tsx';
import { State } from '#console/ui/state.tsx';
import { CancelTrial } from './trial.documents.ts';
import { trialWords as w } from './trial.words.ts';
import { hasEnded } from './use-trial.ts';

/** The run whose steps are on the canvas: how it stands, and a way out of it. */
export function RunBar({ editing: { trial, sample } }: { editing: Editing }) {
  const client = useClient();
  const [isBusy, setBusy] = useState(false);
  const { run } = trial;
  if (!run || !sample.isChosen) return null;
  const cancel = async () => {
    setBusy(true);
    const { refusal } = await mutate(client, CancelTrial, { id: run.id });
    setBusy(false);
    if (refusal) notify({ kind: 'failed', text: refusal.message });
  };
  return (
    <section className="editor-run" aria-label={w.shownRun}>
      <span role="status">
        {(run.isTest ? w.testRun : w.run)(run.databaseId)} <State value={run.status} />
      </span>
      <span className="editor-run-ways">
        {run.viewerCan.cancel && !hasEnded(run) && (
          <Button isBusy={isBusy} onPress={() => void cancel()}>
            {w.cancel}
          </Button>
        )}
        <ObjectLink noun="runs" id={run.id}>
          {w.openRun}
        </ObjectLink>
        <Button onPress={() => sample.choose(undefined)}>{w.closeRun}</Button>
      </span>
      {run.error !== null && <p className="editor-run-error">{run.error}</p>}
    </section>
  );
}
