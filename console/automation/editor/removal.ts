import type { Trigger } from './canvas/canvas-elements.ts';
import type { Doing } from './doing.ts';
import { triggerPath } from './model/graph.ts';
import type { Editing } from './use-editing.ts';

interface Removal {
  /** The trigger that alone is selected. */
  trigger: Trigger | undefined;
  /** Removes what is selected; undefined for a reader who may not. */
  remove: (() => void) | undefined;
}

/** How what is selected is removed. A trigger is no part of the draft: its removal cannot be undone, so it asks first. */
export function removal(
  { triggers, selected, canEdit, removeSelected }: Editing,
  ask: (doing: Doing) => void,
): Removal {
  const [path] = selected;
  const trigger = selected.size === 1 ? triggers.find(({ handle }) => triggerPath(handle) === path) : undefined;
  if (!trigger) return { trigger, remove: canEdit ? removeSelected : undefined };
  return { trigger, remove: trigger.viewerCan.delete ? () => ask('remove-trigger') : undefined };
}
