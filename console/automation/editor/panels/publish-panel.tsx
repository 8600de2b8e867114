import { useMemo, useState } from 'react';
import { useClient } from 'urql';
import type { Workflow } from '#console/automation/editor/canvas/canvas-elements.ts';
import { ChangeList } from '#console/automation/editor/compare/change-list.tsx';
import { compareWords } from '#console/automation/editor/compare/compare.words.ts';
import { useLead } from '#console/automation/editor/compare/use-lead.ts';
import type { Doing } from '#console/automation/editor/doing.ts';
import type { DraftSession } from '#console/automation/editor/draft/draft-session.ts';
import { saveAll } from '#console/automation/editor/draft/save-all.ts';
import { DiscardDraft, PublishDraft } from '#console/automation/editor/editor.documents.ts';
import { editorWords as w } from '#console/automation/editor/editor.words.ts';
import { readBlob } from '#console/automation/editor/model/blob.ts';
import { summarize } from '#console/automation/editor/model/summary.ts';
import type { Editing } from '#console/automation/editor/use-editing.ts';
import { mutate } from '#console/graph/mutate.ts';
import { Button } from '#console/ui/button.tsx';
import { notify } from '#console/ui/notices.ts';
import { Panel } from '#console/ui/panel.tsx';

interface Props {
  workflow: Workflow;
  editing: Editing;
  session: DraftSession;
  /** Called with the number of the new revision. */
  published: (revision: number) => void;
  /** Called once there is no draft any more. */
  done: () => void;
  /** Opens what comes next. */
  start: (doing: Doing) => void;
  close: () => void;
}

/** Shows what the draft changes of what runs, and makes it the next revision, with a note; or deletes it. */
export function PublishPanel({
  workflow: { id: workflowId, revision, blob },
  editing,
  session,
  published,
  done,
  start,
  close,
}: Props) {
  const { graph, definitions, triggers } = editing;
  const summary = useMemo(() => summarize(readBlob(blob), graph), [blob, graph]);
  const lead = useLead(editing);
  const isDisputed = editing.state.conflicts.length > 0;
  const client = useClient();
  const [note, setNote] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<string>();
  const run = async (document: typeof PublishDraft, input: Record<string, unknown>, text: string) => {
    setBusy(true);
    // The last changes may not be saved yet, and belong to it too.
    await saveAll(session);
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
    if (document === PublishDraft) {
      done();
      published((result.payload['workflow'] as { revision: number }).revision);
      start('published');
      return;
    }
    session.receive({ version: 0, baseRevision: revision, blob, pins: {} });
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
        <h3>{compareWords.sinceRevision(revision)}</h3>
        <ChangeList {...{ summary, definitions, triggers, lead }} />
        {refusal && (
          <p className="refusal" role="alert">
            {refusal}
          </p>
        )}
        <label className="field">
          <span className="field-label">{w.note}</span>
          <textarea
            className="input"
            rows={3}
            autoFocus
            value={note}
            onChange={(event) => setNote(event.target.value)}
          />
        </label>
        {isDisputed && <p className="refusal">{w.decideFirst}</p>}
        <div className="panel-actions">
          <Button
            kind="main"
            type="submit"
            isBusy={isBusy}
            isDisabled={isDisputed}
            reason={isDisputed ? w.decideFirst : undefined}
          >
            {w.publish}
          </Button>
        </div>
        <h3>{w.discardHead}</h3>
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
