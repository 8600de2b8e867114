import { nodesOf } from '#console/automation/editor/model/graph.ts';
import type { Editing } from '#console/automation/editor/use-editing.ts';
import { ObjectLink } from '#console/ui/object-link.tsx';
import { State } from '#console/ui/state.tsx';
import { durationText } from '#console/words/values.ts';
import { namedNodes } from './parts.ts';
import { trialWords as w } from './trial.words.ts';

/** How the test run that is on the canvas ended: its state, how long it took, and the step that failed. */
export function TrialResult({ editing, jump }: { editing: Editing; jump: (path: string) => void }) {
  const { trial, sample, graph } = editing;
  const { run } = trial;
  if (!run?.isTest || !sample.isChosen) return null;
  const [failed] = run.error === null ? [] : namedNodes(graph, run.error.slice(0, run.error.indexOf(':')));
  return (
    <section aria-label={w.result}>
      <h3>{w.result}</h3>
      <p>
        <State value={run.status} />{' '}
        {run.durationMs !== null && <span className="quiet">{durationText(run.durationMs)}</span>}{' '}
        <ObjectLink noun="runs" id={run.id}>
          {w.testRun(run.databaseId)}
        </ObjectLink>
      </p>
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
