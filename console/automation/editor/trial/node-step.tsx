import { type ReactNode, useEffect, useState } from 'react';
import { useQuery } from 'urql';
import { pin } from '#console/automation/editor/model/commands.ts';
import { isObject, nodeAt, pinKey } from '#console/automation/editor/model/graph.ts';
import type { Editing } from '#console/automation/editor/use-editing.ts';
import type { ResultOf } from '#console/graph/graphql.ts';
import { toAddressId } from '#console/ui/address-id.ts';
import { Button } from '#console/ui/button.tsx';
import { JsonTree } from '#console/ui/json-tree.tsx';
import { ObjectLink } from '#console/ui/object-link.tsx';
import { State } from '#console/ui/state.tsx';
import { enumWord } from '#console/words/enums.ts';
import { PinEditor } from './pin-editor.tsx';
import { pinOutputs } from './pins.ts';
import { LastStep } from './trial.documents.ts';
import { trialWords as w } from './trial.words.ts';
import type { RunShown } from './use-trial.ts';

type Step = NonNullable<ResultOf<typeof LastStep>['run']>['stepConnection']['edges'][number]['node'];

interface Props {
  editing: Editing;
  path: string;
  /** The ways to run the node. */
  children: ReactNode;
}

/** What a node did in the run that is shown, where its outputs come from, and its pin. */
export function NodeStep({ editing, path, children }: Props) {
  const { trial, graph, perform, canEdit } = editing;
  const { run } = trial;
  const counts = trial.counts.get(path);
  const isInLoop = path.includes('/');
  const hasFailed = isInLoop && counts !== undefined && counts.byStatus.failed > 0;
  const [filter] = useFilter(path, hasFailed);
  const [{ data }, read] = useQuery({
    query: LastStep,
    variables: { id: run?.id ?? '', filter },
    pause: !run || !counts,
    requestPolicy: 'cache-and-network',
  });
  const seen = JSON.stringify(counts);
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- read again whenever its steps have changed
  useEffect(() => (run && counts ? read({ requestPolicy: 'network-only' }) : undefined), [seen, run?.status]);
  const step = counts && data?.run?.id === run?.id ? data?.run?.stepConnection.edges[0]?.node : undefined;
  const pinned = graph.get(pinKey(path));
  const setPin = (outputs: unknown) =>
    perform(outputs === undefined ? w.unpinned : w.pinned, pin(path, isObject(outputs) ? outputs : undefined));
  const takes = step && pinOutputs(step);
  return (
    <section className="editor-step" aria-label={w.lastStep}>
      <h3>{w.lastStep}</h3>
      {run && step ? (
        <>
          <p>
            <State value={step.status} />{' '}
            <ObjectLink noun="runs" id={run.id} search={{ step: toAddressId(step.id) }}>
              {(run.isTest ? w.testRun : w.run)(run.databaseId)}
            </ObjectLink>{' '}
            <span className="quiet">{isInLoop ? step.path : null}</span>
          </p>
          {run.isTest && nodeAt(graph, path)?.node === 'core:state-set' && <p className="quiet">{w.testedState}</p>}
          <Origin step={step} isStale={trial.stale.has(path)} />
          <Resume run={run} step={step} />
          <Values step={step} />
        </>
      ) : (
        <p className="quiet">{!run ? w.noRun : counts ? w.readingStep : w.noStep}</p>
      )}
      <div className="editor-step-ways">
        {children}
        {pinned === undefined && canEdit && takes && <Button onPress={() => setPin(takes)}>{w.pin}</Button>}
        {pinned === undefined && canEdit && !takes && <Button onPress={() => setPin({})}>{w.pinEmpty}</Button>}
      </div>
      {pinned !== undefined && <PinEditor key={JSON.stringify(pinned)} {...{ graph, path, pinned, canEdit, setPin }} />}
    </section>
  );
}

/** Shows a failed step of a node in a loop rather than the last one. */
function useFilter(nodePath: string, hasFailed: boolean) {
  const make = () => ({ nodePath, ...(hasFailed && { status: ['FAILED' as const] }) });
  const [held, setHeld] = useState(make);
  const key = `${nodePath} ${hasFailed}`;
  const [heldKey, setKey] = useState(key);
  if (key !== heldKey) {
    setKey(key);
    setHeld(make());
  }
  return [held];
}

/** Where the outputs come from, and whether they are still those of the graph. */
function Origin({ step, isStale }: { step: Step; isStale: boolean }) {
  return (
    <p className="quiet">
      {step.origin !== null && enumWord(step.origin)}
      {isStale && <strong className="editor-stale"> {w.stale}</strong>}
    </p>
  );
}

function Resume({ run, step }: { run: RunShown; step: Step }) {
  if (step.resumeToken === null || !run.viewerCan.resume || run.status !== 'WAITING') return null;
  return (
    <ObjectLink noun="runs" id={run.id} search={{ step: toAddressId(step.id), do: 'resume' }}>
      {w.resume}
    </ObjectLink>
  );
}

function Values({ step }: { step: Step }) {
  const { error, outputPreview, inputs, logs } = step;
  const message = isObject(error) ? error['message'] : undefined;
  return (
    <>
      {error !== null && (
        <>
          <pre className="error-text">{typeof message === 'string' ? message : JSON.stringify(error)}</pre>
          <details>
            <summary>{w.error}</summary>
            <JsonTree value={error} label={w.error} />
          </details>
        </>
      )}
      {outputPreview !== null && (
        <details>
          <summary>{w.outputs}</summary>
          <JsonTree value={outputPreview} label={w.outputs} />
        </details>
      )}
      {inputs !== null && (
        <details>
          <summary>{w.inputs}</summary>
          <JsonTree value={inputs} label={w.inputs} />
        </details>
      )}
      {logs.length > 0 && (
        <details>
          <summary>{w.logs}</summary>
          <ol className="editor-logs">
            {logs.map(({ databaseId, level, message: text }) => (
              <li key={databaseId}>
                {enumWord(level)} {text}
              </li>
            ))}
          </ol>
        </details>
      )}
    </>
  );
}
