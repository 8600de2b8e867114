import { useDeferredValue, useEffect, useMemo } from 'react';
import { useQuery, useSubscription } from 'urql';
import { readDraft } from '#console/automation/editor/model/draft.ts';
import { type Graph, nodesOf, triggerPath } from '#console/automation/editor/model/graph.ts';
import { staleNodes } from '#console/automation/editor/model/stale.ts';
import type { Sample } from '#console/automation/editor/sample/use-sample.ts';
import type { Mark } from '#console/automation/flow/flow-graph.tsx';
import { markOf, type NodeCounts } from '#console/automation/flow/node-marks.ts';
import type { ResultOf } from '#console/graph/graphql.ts';
import { ShownRun, ShownRunFollowed, type TrialRun } from './trial.documents.ts';
import { trialWords as w } from './trial.words.ts';

export type RunShown = ResultOf<typeof TrialRun>;

/** The run whose steps stand on the canvas and beside the fields, as it is now. */
export interface Trial {
  run: RunShown | undefined;
  /** The state of each node and trigger, by path; none unless somebody chose the run. */
  marks: ReadonlyMap<string, Mark>;
  counts: ReadonlyMap<string, NodeCounts>;
  /** Paths of nodes whose outputs there are not what the graph would give now. */
  stale: ReadonlySet<string>;
}

const ended = new Set(['SUCCEEDED', 'FAILED', 'CANCELLED']);
export const hasEnded = ({ status }: Pick<RunShown, 'status'>): boolean => ended.has(status);

const none: ReadonlyMap<string, Mark> = new Map();
const fresh: ReadonlySet<string> = new Set();

/** Follows the run that is shown until it has ended. */
export function useTrial({ runId = '', isChosen, reload }: Sample, now: Graph): Trial {
  const variables = useMemo(() => ({ id: runId }), [runId]);
  const [{ data }] = useQuery({
    query: ShownRun,
    variables,
    pause: runId === '',
    requestPolicy: 'cache-and-network',
  });
  const read = data?.run?.id === runId ? data.run : undefined;
  const [{ data: followed }] = useSubscription({
    query: ShownRunFollowed,
    variables,
    pause: !read || hasEnded(read),
  });
  // Each change brings the whole run, also the first after a lost connection.
  const run = followed?.runUpdated.id === runId ? followed.runUpdated : read;
  const isOver = run !== undefined && hasEnded(run);
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- once, when the run ends
  useEffect(() => (isOver && isChosen ? reload() : undefined), [isOver, runId]);
  const latest = useDeferredValue(run);
  const counts = useMemo(() => new Map((latest?.stepCounts ?? []).map((each) => [each.nodePath, each])), [latest]);
  const marks = useMemo(
    () => (latest && isChosen ? marksOn(now, latest, counts) : none),
    [latest, isChosen, now, counts],
  );
  const ran = useMemo(() => (read?.blob == null ? undefined : readDraft({ blob: read.blob, pins: read.pins })), [read]);
  const stale = useMemo(() => (ran ? staleNodes(ran, now) : fresh), [ran, now]);
  return { run, marks, counts, stale };
}

function marksOn(graph: Graph, run: RunShown, counts: ReadonlyMap<string, NodeCounts>): Map<string, Mark> {
  const marks = new Map<string, Mark>();
  for (const path of nodesOf(graph).keys()) {
    const counted = counts.get(path);
    if (counted) marks.set(path, markOf(counted, path.includes('/')));
  }
  if (run.triggerHandle !== null) marks.set(triggerPath(run.triggerHandle), { tone: 'succeeded', text: w.fired });
  return marks;
}
