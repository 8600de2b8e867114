import type { Trigger } from '#console/automation/editor/canvas/canvas-elements.ts';
import { ObjectLink } from '#console/ui/object-link.tsx';
import { editorTriggerWords as w } from './triggers.words.ts';

/** The way to fire a trigger by hand. An event comes with its payload, which nobody types. */
export function StartLink({ trigger: { id, type, active, viewerCan } }: { trigger: Trigger }) {
  if (!viewerCan.fire || !active || type === 'EVENT') return null;
  return (
    <ObjectLink noun="triggers" id={id} search={{ do: 'fire' }}>
      {w.start}
    </ObjectLink>
  );
}
