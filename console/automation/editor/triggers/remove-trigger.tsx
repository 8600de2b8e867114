import type { Trigger } from '#console/automation/editor/canvas/canvas-elements.ts';
import { RemoveTriggerInEditor } from '#console/automation/editor/editor.documents.ts';
import { ActionPanel } from '#console/ui/screens/action-panel.tsx';
import type { Action } from '#console/ui/screens/action.ts';
import { editorTriggerWords as w } from './triggers.words.ts';

/** Asks before a trigger is deleted: it is no part of the draft, so this holds at once and cannot be undone. */
const removal: Action<Trigger> = {
  key: 'remove-trigger',
  label: w.remove,
  document: RemoveTriggerInEditor,
  confirm: ({ name }) => w.removeConfirm(name),
  isDanger: true,
  done: w.removed,
};

interface Props {
  trigger: Trigger;
  /** Reads the workflow without its trigger. */
  reload: () => void;
  close: () => void;
}

/** Deletes a trigger, once that is confirmed. */
export const RemoveTrigger = ({ trigger, reload, close }: Props) => (
  <ActionPanel action={removal} object={trigger} done={reload} close={close} />
);
