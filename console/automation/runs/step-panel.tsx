import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useQuery } from 'urql';
import { toAddressId } from '#console/ui/address-id.ts';
import { Button } from '#console/ui/button.tsx';
import * as format from '#console/ui/formats.tsx';
import { LoadFailed } from '#console/ui/load-failed.tsx';
import { ObjectLink } from '#console/ui/object-link.tsx';
import { ActionPanel } from '#console/ui/screens/action-panel.tsx';
import type { Action } from '#console/ui/screens/action.ts';
import { Facts } from '#console/ui/screens/facts.tsx';
import { Skeleton } from '#console/ui/skeleton.tsx';
import { State } from '#console/ui/state.tsx';
import { common } from '#console/words/common.words.ts';
import { runWords as w } from './runs.words.ts';
import { StepLogs } from './step-logs.tsx';
import { type StepOfPanel, stepOf } from './step-of-panel.ts';
import { StepError, StepInputs, StepOutputs } from './step-values.tsx';
import { ResumeRun, StepDetail } from './steps.documents.ts';
import type { Attempt } from './timeline-rows.ts';

interface Props {
  run: { id: string; status: string; workflow: { id: string } | null; viewerCan: { resume: boolean } };
  /** The id of the attempt. */
  id: string;
  /** Those that the timeline has read. */
  attempts: ReadonlyMap<string, Attempt>;
  choose: (id: string) => void;
}

/** One attempt at a node: what went in, what came out, why it failed and what it logged. */
export function StepPanel({ run, id, attempts, choose }: Props) {
  const status = attempts.get(id)?.status;
  const [{ data, error, fetching }, read] = useQuery({ query: StepDetail, variables: { id } });
  const step = stepOf(data);
  const readFor = useRef(status);
  useEffect(() => {
    // Its values come with its end. What was read before the timeline is as new as that.
    const before = readFor.current;
    readFor.current = status;
    if (before !== undefined && before !== status) read({ requestPolicy: 'network-only' });
  }, [status, read]);
  if (error && !step) return <LoadFailed error={error} retry={() => read({ requestPolicy: 'network-only' })} />;
  if (!step)
    return (
      <section className="step-panel" aria-label={w.step}>
        {fetching || !data ? <Skeleton rows={8} /> : <p className="quiet">{common.notFound}</p>}
      </section>
    );
  const siblings = [...attempts.values()].filter(({ path }) => path === step.path);
  return (
    <section className="step-panel" aria-labelledby="step-title">
      <header className="step-head">
        <h3 id="step-title">{step.path}</h3>
        <State value={step.status} />
        {step.status === 'FAILED' && run.workflow && (
          <ObjectLink noun="editor" id={run.workflow.id} search={{ node: editedNode(step.path) }}>
            {w.repair}
          </ObjectLink>
        )}
        <Resume run={run} step={step} done={() => read({ requestPolicy: 'network-only' })} />
      </header>
      {siblings.length > 1 && (
        <nav className="step-attempts" aria-label={w.attemptsLabel}>
          {siblings
            .toSorted((a, b) => a.attempt - b.attempt)
            .map(({ id, attempt }) => (
              <button key={id} type="button" className="bare" aria-current={id === step.id} onClick={() => choose(id)}>
                {w.attempt(attempt)}
              </button>
            ))}
        </nav>
      )}
      <Facts facts={facts} object={step} />
      <StepError step={step} />
      {step.status === 'FAILED' && <StepInputs step={step} />}
      <StepOutputs step={step} />
      {step.status !== 'FAILED' && <StepInputs step={step} />}
      <StepLogs run={run} step={step} />
    </section>
  );
}

/** A step in a loop has the numbers of its rounds in its path, `each/0/send`; the node that is edited is `each/send`. */
const editedNode = (path: string) =>
  path
    .split('/')
    .filter((_, index) => index % 2 === 0)
    .join('/');

const facts = [
  {
    key: 'node',
    label: w.node,
    show: format.text((step: StepOfPanel) => step.node && `${step.node} ${step.version ?? ''}`),
  },
  { key: 'attempt', label: w.attemptLabel, show: format.number((step: StepOfPanel) => step.attempt) },
  { key: 'started', label: w.started, show: format.exactTime((step: StepOfPanel) => step.startedAt) },
  {
    key: 'duration',
    label: w.duration,
    show: format.duration((step: StepOfPanel) =>
      step.completedAt === null ? null : Date.parse(step.completedAt) - Date.parse(step.startedAt),
    ),
  },
  { key: 'waitsFor', label: w.waitsFor, show: format.word((step: StepOfPanel) => step.waitsFor) },
  {
    key: 'waitsForCredential',
    label: w.waitsForCredential,
    show: format.link(
      'credentials',
      (step: StepOfPanel) => step.waitsForCredential,
      (step) => step.waitsForCredential?.name,
    ),
  },
  { key: 'wakeAt', label: w.wakeAt, show: format.exactTime((step: StepOfPanel) => step.wakeAt) },
  {
    key: 'branch',
    label: w.branch,
    show: format.text((step: StepOfPanel) => (step.branch !== 'default' ? step.branch : null)),
  },
  {
    key: 'origin',
    label: w.origin,
    show: format.word((step: StepOfPanel) => (step.origin === 'EXECUTED' ? null : step.origin)),
  },
];

/** Lets a step go on that waits for an outside caller. */
function Resume({ run, step, done }: { run: Props['run']; step: StepOfPanel; done: () => void }) {
  const address: Record<string, string | undefined> = useSearch({ strict: false });
  const navigate = useNavigate();
  const { resumeToken: token } = step;
  if (token === null || !run.viewerCan.resume || run.status !== 'WAITING') return null;
  // The step stays in view when the run goes on.
  const shown = toAddressId(step.id);
  const setDoing = (key: string | undefined) =>
    void navigate({ to: '.', search: (previous: Record<string, unknown>) => ({ ...previous, do: key, step: shown }) });
  const action: Action<{ id: string }> = {
    key: 'resume',
    label: w.resume,
    document: ResumeRun,
    input: ({ id }) => ({ id, token }),
    form: { fields: ['data'] },
    done: w.resumed,
  };
  return address['do'] === 'resume' ? (
    <ActionPanel action={action} object={run} close={() => setDoing(undefined)} done={done} />
  ) : (
    <Button kind="main" onPress={() => setDoing('resume')}>
      {w.resume}
    </Button>
  );
}
