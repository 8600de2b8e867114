import { useReactFlow, useStore } from '@xyflow/react';
import { useEffect } from 'react';

/** The free space around the node, in pixels. The bar of the selection covers the canvas above it, and the zoom buttons below it. */
const margin = { top: 72, side: 24, bottom: 72 };

/** The distance that brings a stretch between two limits. A stretch that is too long for them begins at the lower one. */
const shiftInto = (start: number, length: number, low: number, high: number): number =>
  start < low || length > high - low ? low - start : Math.min(0, high - start - length);

/** Moves the graph until the node is visible: beside its form, which takes a part of the window when it opens, or where it was added. */
export function KeepInView({ path }: { path: string }) {
  const width = useStore((state) => state.width);
  const height = useStore((state) => state.height);
  const isDrawn = useStore((state) => state.nodeLookup.has(path));
  const flow = useReactFlow();
  useEffect(() => {
    const node = isDrawn ? flow.getInternalNode(path) : undefined;
    if (!node?.measured.width || !node.measured.height) return;
    const { x, y, zoom } = flow.getViewport();
    const { x: left, y: top } = node.internals.positionAbsolute;
    const right = shiftInto(left * zoom + x, node.measured.width * zoom, margin.side, width - margin.side);
    const down = shiftInto(top * zoom + y, node.measured.height * zoom, margin.top, height - margin.bottom);
    if (right !== 0 || down !== 0) void flow.setViewport({ x: x + right, y: y + down, zoom });
  }, [flow, path, isDrawn, width, height]);
  return null;
}
