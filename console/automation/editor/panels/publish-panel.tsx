import { useState } from 'react';
import { useClient } from 'urql';
import type { DraftSession } from '#console/automation/editor/draft/draft-session.ts';
import { DiscardDraft, PublishDraft } from '#console/automation/editor/editor.documents.ts';
import { editorWords as w } from '#console/automation/editor/editor.words.ts';
import { mutate } from '#console/graph/mutate.ts';
import { Button } from '#console/ui/button.tsx';
import { notify } from '#console/ui/notices.ts';
import { Panel } from '#console/ui/panel.tsx';

interface Props {
  workflowId: string;
  session: DraftSession;
  /** Called once there is no draft any more. */
  done: () => void;
  close: () => void;
}

/** Makes the draft the revision that runs, with a note; or deletes it. */
export function PublishPanel({ workflowId, session, done, close }: Props) {
  const client = useClient();
  const [note, setNote] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<string>();
  const run = async (document: typeof PublishDraft, input: Record<string, unknown>, text: string) => {
    setBusy(true);
    // The last changes may not be saved yet, and belong to it too.
    await session.flush();
    const { version, saving } = session.state();
    if (saving !== 'saved') {
      setBusy(false);
      setRefusal(w.unsavedYet);
      return;
    }
    const result = await mutate(client, document, { workflowId, version, ...input });
    setBusy(false);
    if (result.refusal) {
      const { message, fields } = result.refusal;
      setRefusal([message, ...Object.values(fields)].join(' '));
      return;
    }
    notify({ kind: 'done', text });
    done();
    close();
  };
  return (
    <Panel title={w.publish} close={close}>
      <form
        className="panel-body"
        onSubmit={(event) => {
          event.preventDefault();
          void run(PublishDraft, note === '' ? {} : { note }, w.published);
        }}
      >
        <p>{w.publishHelp}</p>
        {refusal && (
          <p className="refusal" role="alert">
            {refusal}
          </p>
        )}
        <label className="field">
          <span className="field-label">{w.note}</span>
          <textarea className="input" rows={3} value={note} onChange={(event) => setNote(event.target.value)} />
        </label>
        <div className="panel-actions">
          <Button kind="main" type="submit" isBusy={isBusy}>
            {w.publish}
          </Button>
        </div>
        <p className="quiet">{w.discardConfirm}</p>
        <div className="panel-actions">
          <Button kind="danger" isBusy={isBusy} onPress={() => void run(DiscardDraft, {}, w.discarded)}>
            {w.discard}
          </Button>
        </div>
      </form>
    </Panel>
  );
}
