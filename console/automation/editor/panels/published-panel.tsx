import type { Workflow } from '#console/automation/editor/canvas/canvas-elements.ts';
import { editorWords } from '#console/automation/editor/editor.words.ts';
import { ScheduleTimes } from '#console/automation/editor/triggers/schedule-times.tsx';
import { StartLink } from '#console/automation/editor/triggers/start-link.tsx';
import { editorTriggerWords as w } from '#console/automation/editor/triggers/triggers.words.ts';
import { WebhookCall } from '#console/automation/webhook-call.tsx';
import { toAddressId } from '#console/ui/address-id.ts';
import { Button } from '#console/ui/button.tsx';
import { HelpText } from '#console/ui/help-text.tsx';
import { ListLink } from '#console/ui/object-link.tsx';
import { Panel } from '#console/ui/panel.tsx';
import { enumWord } from '#console/words/enums.ts';

interface Props {
  workflow: Workflow;
  addTrigger: () => void;
  close: () => void;
}

/** What comes after publishing: how each trigger fires, and where the runs are. */
export function PublishedPanel({ workflow: { id, revision, triggers, viewerCan }, addTrigger, close }: Props) {
  return (
    <Panel title={editorWords.publishedTitle} close={close}>
      <div className="panel-body">
        <p>{w.revisionRuns(revision)}</p>
        <h3>{w.howToRun}</h3>
        {triggers.length === 0 && (
          <>
            <p>{w.none}</p>
            {viewerCan.createTrigger && (
              <div className="panel-actions">
                <Button kind="main" onPress={addTrigger}>
                  {w.add}
                </Button>
              </div>
            )}
          </>
        )}
        {triggers.map((trigger) => (
          <section key={trigger.id} className="editor-how" aria-label={trigger.name}>
            <h4>
              {trigger.name} <span className="quiet">{enumWord(trigger.type)}</span>
            </h4>
            <WebhookCall trigger={trigger} />
            <ScheduleTimes trigger={trigger} />
            <p className="quiet">
              <HelpText text={w[trigger.type]} />
            </p>
            <StartLink trigger={trigger} />
          </section>
        ))}
        <ListLink noun="runs" search={{ workflow: toAddressId(id) }}>
          {w.runs}
        </ListLink>
      </div>
    </Panel>
  );
}
