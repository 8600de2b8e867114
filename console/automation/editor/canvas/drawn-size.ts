import type { ReactFlowState } from '@xyflow/react';

/** Below this zoom, names cannot be read, and nodes are drawn as blocks. */
const readableZoom = 0.4;

/** Whether the canvas draws so many elements only as far as they are in view. */
export const isLarge = (nodes: number): boolean => nodes > 60;

export const isSmall = ({ transform }: Pick<ReactFlowState, 'transform'>): boolean => transform[2] < readableZoom;

/** Whether nodes are blocks without text and handles, and edges mere lines: there are many, too small to be pointed at. */
export const isSketch = ({ transform, nodeLookup }: ReactFlowState): boolean =>
  isLarge(nodeLookup.size) && isSmall({ transform });
