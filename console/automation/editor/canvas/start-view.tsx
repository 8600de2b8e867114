import { getViewportForBounds, useNodesInitialized, useReactFlow, useStore } from '@xyflow/react';
import { useEffect, useRef } from 'react';
import { isTrigger } from '#console/automation/editor/model/graph.ts';
import type { CanvasNode } from './canvas-elements.ts';
import { fitting } from './canvas-tools.tsx';

/** Below this zoom, a name of 12 px has less than 6, and the whole graph is no place to begin at. */
const leastZoom = 0.5;
const startZoom = 0.8;

/** The distance of the first node from the left border, in pixels. */
const margin = 24;

/** Shows the whole graph, or where its names would be too small to be read, the place where it begins. */
export function StartView({ at }: { at?: string | undefined }) {
  const flow = useReactFlow<CanvasNode>();
  const isReady = useNodesInitialized();
  const width = useStore((state) => state.width);
  const height = useStore((state) => state.height);
  const hasStarted = useRef(false);
  useEffect(() => {
    if (!isReady || hasStarted.current || width === 0 || height === 0) return;
    hasStarted.current = true;
    const nodes = flow.getNodes();
    const whole = getViewportForBounds(flow.getNodesBounds(nodes), width, height, 0, fitting.maxZoom, fitting.padding);
    const first = flow.getInternalNode(at ?? firstOf(nodes)?.id ?? '');
    if (whole.zoom >= leastZoom || !first) return void flow.setViewport(whole);
    const { x, y } = first.internals.positionAbsolute;
    const middle = y + (first.measured.height ?? 0) / 2;
    void flow.setViewport({ x: margin - x * startZoom, y: height / 2 - middle * startZoom, zoom: startZoom });
  }, [flow, isReady, width, height, at]);
  return null;
}

/** The first trigger, or without one the node at the left. */
const firstOf = (nodes: readonly CanvasNode[]): CanvasNode | undefined =>
  nodes.find(({ id }) => isTrigger(id)) ?? nodes.toSorted((one, other) => one.position.x - other.position.x)[0];
