import { useReactFlow } from '@xyflow/react';
import type { Editing } from '#console/automation/editor/use-editing.ts';
import type { Lead } from './change-list.tsx';

/** Selects a node and moves the canvas to it, without opening its form. */
export function useLead({ places, select }: Pick<Editing, 'places' | 'select'>): Lead {
  const flow = useReactFlow();
  return (path) => {
    if (!places.has(path)) return undefined;
    return () => {
      select(new Set([path]));
      void flow.fitView({ nodes: [{ id: path }], maxZoom: 1, duration: 0 });
    };
  };
}
