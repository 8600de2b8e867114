import { useReactFlow, useStore } from '@xyflow/react';
import { useEffect } from 'react';

/** What is left free around the node, in pixels; above it stands the bar of the selection. */
const margin = { top: 104, side: 24, bottom: 72 };

/** By how much a stretch is to be moved to lie between two limits; its start comes first if it is too long. */
const shiftInto = (start: number, length: number, low: number, high: number): number =>
  start < low || length > high - low ? low - start : Math.min(0, high - start - length);

/** Moves the graph, when the node's form opens and takes a part of the window, so far that the node can be seen beside it. */
export function KeepInView({ path }: { path: string }) {
  const width = useStore((state) => state.width);
  const height = useStore((state) => state.height);
  const flow = useReactFlow();
  useEffect(() => {
    const node = flow.getInternalNode(path);
    if (!node?.measured.width || !node.measured.height) return;
    const { x, y, zoom } = flow.getViewport();
    const { x: left, y: top } = node.internals.positionAbsolute;
    const right = shiftInto(left * zoom + x, node.measured.width * zoom, margin.side, width - margin.side);
    const down = shiftInto(top * zoom + y, node.measured.height * zoom, margin.top, height - margin.bottom);
    if (right !== 0 || down !== 0) void flow.setViewport({ x: x + right, y: y + down, zoom });
  }, [flow, path, width, height]);
  return null;
}
