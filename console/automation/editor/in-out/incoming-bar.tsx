import { Button } from '#console/ui/button.tsx';
import { inOutWords as w } from './in-out.words.ts';
import type { Incoming } from './use-incoming.ts';

/** Asks whether a whole workflow that was brought in replaces the graph. */
export function IncomingBar({ incoming }: { incoming: Incoming }) {
  const { source, count, replace, insert, cancel } = incoming;
  return (
    <div className="editor-news" role="group" aria-label={source}>
      <p role="status">{w.holds(source, count)}</p>
      <Button kind="main" onPress={replace}>
        {w.replace}
      </Button>
      <Button onPress={insert}>{w.insert}</Button>
      <Button onPress={cancel}>{w.cancel}</Button>
    </div>
  );
}
