import { useNavigate, useSearch } from '@tanstack/react-router';
import { useSubscription } from 'urql';
import { FlowGraph } from '#console/automation/flow/flow-graph.tsx';
import type { ResultOf } from '#console/graph/graphql.ts';
import { fromAddressId, toAddressId } from '#console/ui/address-id.ts';
import { Button } from '#console/ui/button.tsx';
import { Choices } from '#console/ui/choices.tsx';
import { LoadFailed } from '#console/ui/load-failed.tsx';
import { Skeleton } from '#console/ui/skeleton.tsx';
import { common } from '#console/words/common.words.ts';
import { enumWord } from '#console/words/enums.ts';
import { hasEnded } from './run-states.ts';
import { type RunPage, RunRevived } from './run.documents.ts';
import { runWords as w } from './runs.words.ts';
import { StepPanel } from './step-panel.tsx';
import type { Attempt, AttemptFilter } from './timeline-rows.ts';
import { Timeline } from './timeline.tsx';
import { useNow } from './use-now.ts';
import { useRunFlow } from './use-run-flow.ts';
import { useSteps } from './use-steps.ts';

export type RunOfPage = NonNullable<ResultOf<typeof RunPage>['run']>;

const statuses = ['RUNNING', 'WAITING', 'SUCCEEDED', 'FAILED', 'SKIPPED'];

/** What a run did: the graph, the timeline, and beside it the step that the address names. */
export function RunSteps({ run }: { run: RunOfPage }) {
  const address: Record<string, string | undefined> = useSearch({ strict: false });
  const navigate = useNavigate();
  const set = (values: Record<string, string | undefined>) =>
    void navigate({
      to: '.',
      search: (previous: Record<string, unknown>) => ({ ...previous, ...values }),
      resetScroll: false,
    });
  const isOver = hasEnded(run);
  const filter = filterOf(address);
  const steps = useSteps(run.id, filter, isOver);
  const now = useNow(!isOver);
  const flow = useRunFlow(run);
  useSubscription({ query: RunRevived, variables: { filter: instantOf(run) }, pause: !isOver });
  const shown = address['step'] === undefined ? notableStep(run, steps.attempts) : fromAddressId(address['step']);
  return (
    <div className="run-steps">
      {flow.nodes.length > 0 && (
        <FlowGraph
          {...flow}
          label={w.graph}
          chosen={address['node']}
          choose={(path) => set({ node: path === address['node'] ? undefined : path, step: undefined })}
        />
      )}
      <div className="run-filters">
        <Choices
          label={w.status}
          many
          options={statuses.map((value) => ({ value, label: enumWord(value) }))}
          chosen={filter.status ?? []}
          choose={(values) => set({ steps: values.join(',') || undefined })}
        />
        {address['node'] !== undefined && (
          <Chip label={w.node} value={address['node']} clear={() => set({ node: undefined })} />
        )}
        {address['path'] !== undefined && (
          <Chip label={w.round} value={address['path']} clear={() => set({ path: undefined })} />
        )}
      </div>
      <div className="run-body">
        <div className="run-timeline">
          {steps.error && steps.attempts.size === 0 ? (
            <LoadFailed error={steps.error} retry={steps.reload} />
          ) : !steps.isReady ? (
            <Skeleton rows={4} />
          ) : steps.attempts.size === 0 ? (
            <p className="quiet">{Object.keys(filter).length > 0 ? common.nothingMatches : w.noSteps}</p>
          ) : (
            <Timeline
              attempts={steps.attempts.values()}
              until={isOver ? endedAt(run, steps.attempts) : now}
              chosen={shown}
              choose={(id) => set({ step: toAddressId(id) })}
              chooseRound={(path) => set({ path })}
            />
          )}
          {steps.next !== null && <Button onPress={steps.loadMore}>{common.more}</Button>}
        </div>
        {shown !== undefined && (
          <StepPanel
            key={shown}
            run={run}
            id={shown}
            attempts={steps.attempts}
            choose={(id) => set({ step: toAddressId(id) })}
          />
        )}
      </div>
    </div>
  );
}

function Chip({ label, value, clear }: { label: string; value: string; clear: () => void }) {
  return (
    <button
      type="button"
      className="choices choices-set"
      onClick={clear}
      aria-label={`${label} ${value}: ${common.removeItem}`}
    >
      {label}
      <span className="choices-value">{value} ×</span>
    </button>
  );
}

function filterOf({ node, path, steps }: Record<string, string | undefined>): AttemptFilter {
  return {
    ...(node !== undefined && { nodePath: node }),
    ...(path !== undefined && { pathPrefix: path }),
    ...(steps !== undefined && { status: steps.split(',') }),
  };
}

/** The millisecond in which the run was made, as a filter. */
function instantOf({ createdAt }: RunOfPage) {
  return { since: createdAt, until: new Date(Date.parse(createdAt) + 1).toISOString() };
}

/** The step to show while the reader has chosen none: the one that failed last, or that waits. */
function notableStep(run: RunOfPage, attempts: ReadonlyMap<string, Attempt>): string | undefined {
  if (run.status !== 'FAILED' && run.status !== 'WAITING') return undefined;
  const last = [...attempts.values()].filter(({ status }) => status === run.status).at(-1);
  return last?.id ?? run.notable.edges[0]?.node.id;
}

const endedAt = (run: RunOfPage, attempts: ReadonlyMap<string, Attempt>): number =>
  Date.parse(run.completedAt ?? [...attempts.values()].at(-1)?.startedAt ?? run.createdAt);
