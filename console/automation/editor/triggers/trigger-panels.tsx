import type { Trigger, Workflow } from '#console/automation/editor/canvas/canvas-elements.ts';
import type { Doing } from '#console/automation/editor/doing.ts';
import { triggerPath } from '#console/automation/editor/model/graph.ts';
import { PublishedPanel } from '#console/automation/editor/panels/published-panel.tsx';
import { AddTrigger } from './add-trigger.tsx';
import { RemoveTrigger } from './remove-trigger.tsx';
import { TriggerPanel } from './trigger-panel.tsx';

interface Props {
  workflow: Workflow;
  /** The path that the address names. */
  shown: string | undefined;
  doing: string | undefined;
  /** The trigger that is selected. */
  chosen: Trigger | undefined;
  reload: () => void;
  /** Selects a trigger and opens it. */
  open: (path: string) => void;
  start: (doing: Doing) => void;
  close: () => void;
}

/** The panels about what starts the workflow: a trigger, a new one, and all of them once the draft was published. */
export function TriggerPanels({ workflow, shown, doing, chosen, reload, open, start, close }: Props) {
  const trigger = workflow.triggers.find(({ handle }) => triggerPath(handle) === shown);
  if (trigger) return <TriggerPanel key={trigger.id} {...{ trigger, close }} />;
  if (doing === 'published') return <PublishedPanel {...{ workflow, close }} addTrigger={() => start('trigger')} />;
  if (doing === 'remove-trigger' && chosen?.viewerCan.delete)
    return <RemoveTrigger trigger={chosen} {...{ reload, close }} />;
  if (doing !== 'trigger' || !workflow.viewerCan.createTrigger) return null;
  return <AddTrigger {...{ workflow, reload, open, close }} />;
}
