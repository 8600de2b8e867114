import { FlowGraph } from '#console/automation/flow/flow-graph.tsx';
import type { ResultOf } from '#console/graph/graphql.ts';
import type { WorkflowPage } from './workflows.documents.ts';
import { workflowWords as w } from './workflows.words.ts';

export type Workflow = NonNullable<ResultOf<typeof WorkflowPage>['workflow']>;

/** No path of a node has a colon. */
const triggerPath = (handle: string) => `trigger:${handle.replaceAll('/', ':')}`;

/** The graph of the current revision, from its triggers on. */
export function WorkflowFlow({ nodes, edges }: Pick<Workflow, 'nodes' | 'edges'>) {
  if (nodes.length === 0) return <p className="quiet">{w.noNodes}</p>;
  const triggers = new Map(
    edges.flatMap(({ triggerHandle: handle, trigger }) => (handle === null ? [] : [[handle, trigger?.name ?? handle]])),
  );
  return (
    <FlowGraph
      label={w.graph}
      nodes={[
        ...[...triggers].map(([handle, name]) => ({ path: triggerPath(handle), name, isStatic: true })),
        ...nodes.map(({ nodeId, path }) => ({ path, name: nodeId, isStatic: true })),
      ]}
      links={edges.flatMap(({ from, to, branch, triggerHandle }) => {
        const start = from ?? (triggerHandle === null ? null : triggerPath(triggerHandle));
        return start === null ? [] : [{ from: start, to, branch }];
      })}
    />
  );
}
