import type { Trigger } from '#console/automation/editor/canvas/canvas-elements.ts';
import { CopyText } from '#console/ui/copy-text.tsx';
import { ObjectLink } from '#console/ui/object-link.tsx';
import { editorTriggerWords as w } from './triggers.words.ts';

/** The address that fires a webhook, to be copied. */
export function TriggerAddress({ trigger: { url } }: { trigger: Trigger }) {
  if (url === null) return null;
  return (
    <div className="field">
      <span className="field-label">{w.url}</span>
      <CopyText text={url} />
      <span className="field-help">{w.urlHelp}</span>
    </div>
  );
}

/** The way to fire a trigger by hand. An event comes with its payload, which nobody types. */
export function StartLink({ trigger: { id, type, active, viewerCan } }: { trigger: Trigger }) {
  if (!viewerCan.fire || !active || type === 'EVENT') return null;
  return (
    <ObjectLink noun="triggers" id={id} search={{ do: 'fire' }}>
      {w.start}
    </ObjectLink>
  );
}
