import { useRef } from 'react';
import type { Workflow } from '#console/automation/editor/canvas/canvas-elements.ts';
import { AddTriggerInEditor } from '#console/automation/editor/editor.documents.ts';
import { triggerPath } from '#console/automation/editor/model/graph.ts';
import { triggerForm } from '#console/automation/trigger-form.tsx';
import { ActionPanel } from '#console/ui/screens/action-panel.tsx';
import type { Action } from '#console/ui/screens/action.ts';
import { editorTriggerWords as w } from './triggers.words.ts';

interface Props {
  workflow: Workflow;
  /** Reads the workflow with its new trigger. */
  reload: () => void;
  open: (path: string) => void;
  close: () => void;
}

/** Asks what shall start the workflow, and opens what was added. */
export function AddTrigger({ workflow, reload, open, close }: Props) {
  const added = useRef<string>(undefined);
  const action: Action<Workflow> = {
    key: 'trigger',
    label: w.add,
    document: AddTriggerInEditor,
    input: ({ id }) => ({ workflowId: id }),
    form: {
      fields: ['type', 'name', 'config', 'active'],
      initial: () => ({ type: 'WEBHOOK', active: true }),
      asked: (_, { type, config }) => ({ ...triggerForm(type, config), type: { help: w.typeHelp } }),
    },
    done: ({ trigger }) => {
      added.current = (trigger as { handle: string }).handle;
      return w.added;
    },
  };
  return (
    <ActionPanel
      action={action}
      object={workflow}
      done={reload}
      close={() => (added.current === undefined ? close() : open(triggerPath(added.current)))}
    />
  );
}
