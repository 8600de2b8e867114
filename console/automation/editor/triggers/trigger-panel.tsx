import type { Trigger } from '#console/automation/editor/canvas/canvas-elements.ts';
import { WebhookCall } from '#console/automation/webhook-call.tsx';
import { HelpText } from '#console/ui/help-text.tsx';
import { JsonTree } from '#console/ui/json-tree.tsx';
import { ObjectLink } from '#console/ui/object-link.tsx';
import { Panel } from '#console/ui/panel.tsx';
import { State } from '#console/ui/state.tsx';
import { enumWord } from '#console/words/enums.ts';
import { ScheduleTimes } from './schedule-times.tsx';
import { StartLink } from './start-link.tsx';
import { editorTriggerWords as w } from './triggers.words.ts';

/** What starts the workflow: its address, what nodes read of it, and the way to its page. */
export function TriggerPanel({ trigger, close }: { trigger: Trigger; close: () => void }) {
  const { id, name, type, active, config } = trigger;
  return (
    <Panel title={name} close={close}>
      <div className="panel-body">
        <p>
          {enumWord(type)} · <State value={active ? 'ACTIVE' : 'INACTIVE'} />
        </p>
        <WebhookCall trigger={trigger} />
        <ScheduleTimes trigger={trigger} />
        <p>
          <HelpText text={w[type]} />
        </p>
        {type !== 'MANUAL' && (
          <section className="editor-trigger-config" aria-label={w.config}>
            <h3>{w.config}</h3>
            <JsonTree value={config} label={w.config} />
          </section>
        )}
        <div>
          <ObjectLink noun="triggers" id={id}>
            {w.open}
          </ObjectLink>
          <p className="field-help">{w.openHelp}</p>
        </div>
        <StartLink trigger={trigger} />
      </div>
    </Panel>
  );
}
