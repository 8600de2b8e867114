import { useReactFlow } from '@xyflow/react';
import type { ReactNode } from 'react';
import type { Point } from '#console/automation/editor/model/graph.ts';
import { IncomingBar } from './incoming-bar.tsx';
import type { Incoming } from './use-incoming.ts';

interface Props {
  incoming: Incoming | undefined;
  /** Absent for those who may only look. */
  open?: (file: File, at: Point) => Promise<void>;
  children: ReactNode;
}

/** The graph and what stands around it; a file that is dropped there is taken in where it was dropped. */
export function DropArea({ incoming, open, children }: Props) {
  const flow = useReactFlow();
  return (
    <div
      className="editor-main"
      onDragOver={(event) => (event.dataTransfer.types.includes('Files') ? event.preventDefault() : undefined)}
      onDrop={(event) => {
        const [file] = event.dataTransfer.files;
        if (!file) return;
        event.preventDefault();
        void open?.(file, flow.screenToFlowPosition({ x: event.clientX, y: event.clientY }));
      }}
    >
      {incoming && <IncomingBar incoming={incoming} />}
      {children}
    </div>
  );
}
