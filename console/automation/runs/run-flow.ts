import type { ComponentProps } from 'react';
import type { FlowGraph } from '#console/automation/flow/flow-graph.tsx';
import type { Link } from '#console/automation/flow/graph-layout.ts';
import { markOf, type NodeCounts } from '#console/automation/flow/node-marks.ts';
import { runWords as w } from './runs.words.ts';
import type { RunGraph } from './tested-graph.ts';

interface Run {
  triggerHandle: string | null;
  stepCounts: readonly NodeCounts[];
  workflowRevision: RunGraph | null;
}

/** The nodes and links of the graph of a run, with its triggers as nodes. Nothing once the revision is deleted. */
export function flowOf(run: Run): Pick<ComponentProps<typeof FlowGraph>, 'nodes' | 'links'> {
  const { nodes = [], edges = [] } = run.workflowRevision ?? {};
  const counts = new Map(run.stepCounts.map((one) => [one.nodePath, one]));
  const triggers = new Map(
    edges.flatMap(({ triggerHandle: handle, trigger }) => (handle === null ? [] : [[handle, trigger?.name ?? handle]])),
  );
  return {
    nodes: [
      ...[...triggers].map(([handle, name]) => ({
        path: triggerPath(handle),
        name,
        isStatic: true,
        ...(handle === run.triggerHandle && { mark: { tone: 'succeeded' as const, text: w.fired } }),
      })),
      ...nodes.map(({ nodeId, path }) => {
        const counted = counts.get(path);
        return { path, name: nodeId, mark: counted && markOf(counted, path.includes('/')) };
      }),
    ],
    links: edges.flatMap(({ from, to, branch, triggerHandle }): Link[] => {
      const start = from ?? (triggerHandle === null ? null : triggerPath(triggerHandle));
      return start === null ? [] : [{ from: start, to, branch }];
    }),
  };
}

/** No path of a node has a colon. */
const triggerPath = (handle: string): string => `trigger:${handle.replaceAll('/', ':')}`;
