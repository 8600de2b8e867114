import { useEffect, useRef, useState } from 'react';
import { useQuery } from 'urql';
import { nodesOf } from '#console/automation/editor/model/graph.ts';
import type { Editing } from '#console/automation/editor/use-editing.ts';
import { JsonTree } from '#console/ui/json-tree.tsx';
import { ObjectLink } from '#console/ui/object-link.tsx';
import { State } from '#console/ui/state.tsx';
import { durationText } from '#console/words/values.ts';
import { namedNodes } from './parts.ts';
import { TrialOutcome } from './trial.documents.ts';
import { trialWords as w } from './trial.words.ts';

/** How the test run that is on the canvas ended: its state, how long it took, what it gave, and the step that failed or waits. */
export function TrialResult({ editing, jump }: { editing: Editing; jump: (path: string) => void }) {
  const { trial, sample, graph } = editing;
  const { run } = trial;
  const section = useRef<HTMLElement>(null);
  const [before] = useState(sample.runId);
  const hasGiven = run?.status === 'SUCCEEDED';
  const [{ data }] = useQuery({ query: TrialOutcome, variables: { id: run?.id ?? '' }, pause: !hasGiven });
  const given = hasGiven && data?.run?.id === run.id ? data.run.result : null;
  // A long payload may have pushed the result out of view. A run that was there when the panel opened is not scrolled to.
  const stage = run && run.id !== before ? `${run.id} ${run.status} ${given !== null}` : undefined;
  useEffect(() => {
    if (stage !== undefined) section.current?.scrollIntoView({ block: 'nearest' });
  }, [stage]);
  if (!run?.isTest || !sample.isChosen) return null;
  const waiting =
    run.status === 'WAITING'
      ? [...nodesOf(graph).keys()].find((path) => (trial.counts.get(path)?.byStatus.waiting ?? 0) > 0)
      : undefined;
  const [failed] = run.error === null ? [] : namedNodes(graph, run.error.slice(0, run.error.indexOf(':')));
  return (
    <section ref={section} className="editor-result" aria-label={w.result}>
      <h3>{w.result}</h3>
      <p>
        <State value={run.status} />{' '}
        {run.durationMs !== null && <span className="quiet">{durationText(run.durationMs)}</span>}{' '}
        <ObjectLink noun="runs" id={run.id}>
          {w.testRun(run.databaseId)}
        </ObjectLink>
      </p>
      {waiting !== undefined && (
        <p>
          {w.waitsAt}{' '}
          <button type="button" className="bare editor-jump" onClick={() => jump(waiting)}>
            {w.openNode(waiting)}
          </button>
        </p>
      )}
      {given !== null && <JsonTree value={given} label={w.result} />}
      {run.error !== null && (
        <>
          <pre className="error-text">{run.error}</pre>
          {failed !== undefined && (
            <button type="button" className="bare editor-jump" onClick={() => jump(failed)}>
              {w.openNode(failed)}
            </button>
          )}
        </>
      )}
    </section>
  );
}

/** Says what becomes of what a test run writes into the state store, where a node does. */
export function TestedState({ graph }: Pick<Editing, 'graph'>) {
  const writes = [...nodesOf(graph).values()].some(({ node }) => node === 'core:state-set');
  return writes && <p className="quiet">{w.testedState}</p>;
}
