import { useReactFlow, useStore } from '@xyflow/react';
import { commandWords as w } from '#console/automation/editor/commands.words.ts';
import { Button } from '#console/ui/button.tsx';

/** The view of the graph: how large it is drawn, and what is found in it. */
export function CanvasTools({ find, showKeys }: { find: () => void; showKeys: () => void }) {
  const flow = useReactFlow();
  const percent = useStore(({ transform }) => Math.round(transform[2] * 100));
  return (
    <div className="editor-view" role="group" aria-label={w.view}>
      <button type="button" className="bare" aria-label={w.zoomOut} onClick={() => void flow.zoomOut()}>
        −
      </button>
      <span className="editor-percent">{percent} %</span>
      <button type="button" className="bare" aria-label={w.zoomIn} onClick={() => void flow.zoomIn()}>
        +
      </button>
      <Button onPress={() => void flow.fitView(fitting)}>{w.fit}</Button>
      <Button onPress={find}>{w.find}</Button>
      <Button onPress={showKeys}>{w.keys}</Button>
    </div>
  );
}

/** A small graph is not drawn larger than it is. */
export const fitting = { maxZoom: 1, padding: 0.1 };
