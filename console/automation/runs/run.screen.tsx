import * as format from '#console/ui/formats.tsx';
import { JsonTree } from '#console/ui/json-tree.tsx';
import { NestedList } from '#console/ui/screens/nested-list.tsx';
import { detail, nestedList } from '#console/ui/screens/screen.ts';
import { RunLog } from './run-log.tsx';
import { type RunOfRow as Row, starter } from './run-starter.ts';
import { hasEnded } from './run-states.ts';
import { RunSteps } from './run-steps.tsx';
import { RunChildren, RunFollowed, RunPage, RunReruns } from './run.documents.ts';
import { CancelRun, RerunRun, RetryRun } from './runs.documents.ts';
import { runWords as w } from './runs.words.ts';
import { TestNote } from './test-note.tsx';

const relatedColumns = [
  {
    key: 'id',
    label: w.run(0).replace(' 0', ''),
    show: format.link(
      'runs',
      (run: Row) => run,
      (run) => run.databaseId,
    ),
  },
  { key: 'status', label: w.status, show: format.state((run: Row) => run.status) },
  { key: 'workflow', label: w.workflow, show: format.text((run: Row) => run.workflowName) },
  { key: 'created', label: w.created, show: format.time((run: Row) => run.createdAt) },
  { key: 'duration', label: w.duration, show: format.duration((run: Row) => run.durationMs) },
];

const children = nestedList(RunChildren, ({ run }) => run?.children, {
  columns: relatedColumns,
  open: null,
  empty: w.noChildren,
});

const reruns = nestedList(RunReruns, ({ run }) => run?.reruns, {
  columns: relatedColumns,
  open: null,
  empty: w.noReruns,
});

export const runPage = detail('run', RunPage, {
  follow: RunFollowed,
  hasEnded,
  title: (run) => (run.isTest ? w.testRun : w.run)(run.databaseId),
  state: (run) => run.status,
  facts: [
    {
      key: 'workflow',
      label: w.workflow,
      show: format.link(
        'workflows',
        (run) => run.workflow,
        (run) => run.workflowName,
      ),
    },
    {
      key: 'revision',
      label: w.revision,
      show: format.number((run) => (run.isTest && !run.parent ? null : run.revision)),
    },
    { key: 'startedBy', label: w.startedBy, show: format.text(starter) },
    {
      key: 'trigger',
      label: w.trigger,
      show: format.link(
        'triggers',
        (run) => run.trigger,
        (run) => run.trigger?.name,
      ),
    },
    {
      key: 'parent',
      label: w.parent,
      show: format.link(
        'runs',
        (run) => run.parent,
        (run) => run.parent?.databaseId,
      ),
    },
    {
      key: 'rerunOf',
      label: w.rerunOf,
      show: format.link(
        'runs',
        (run) => run.retryOf,
        (run) => run.retryOf?.databaseId,
      ),
    },
    {
      key: 'order',
      label: w.order,
      show: format.link(
        'orders',
        (run) => run.order,
        (run) => run.order?.number,
      ),
    },
    { key: 'request', label: w.request, show: format.handle((run) => run.requestId ?? '') },
    { key: 'trace', label: w.trace, show: format.handle((run) => run.traceId ?? '') },
    { key: 'created', label: w.created, show: format.exactTime((run) => run.createdAt) },
    { key: 'duration', label: w.duration, show: format.duration((run) => run.durationMs) },
  ],
  sections: [
    { key: 'test', title: w.test, when: (run) => run.isTest, draw: (run) => <TestNote run={run} /> },
    {
      key: 'error',
      title: w.error,
      when: (run) => run.error !== null,
      draw: (run) => <pre className="error-text">{run.error}</pre>,
    },
    { key: 'steps', title: w.steps, draw: (run) => <RunSteps run={run} /> },
    {
      key: 'payload',
      title: w.payload,
      draw: (run) => <JsonTree value={run.payload} root="trigger.payload" label={w.payload} />,
    },
    {
      key: 'result',
      title: w.result,
      when: (run) => run.result !== null,
      draw: (run) => <JsonTree value={run.result} label={w.result} />,
    },
    { key: 'log', title: w.log, draw: (run) => <RunLog run={run} /> },
    {
      key: 'children',
      title: w.children,
      draw: (run) => <NestedList screen={children} variables={{ id: run.id }} label={w.children} />,
    },
    {
      key: 'reruns',
      title: w.reruns,
      draw: (run) => <NestedList screen={reruns} variables={{ id: run.id }} label={w.reruns} />,
    },
  ],
  actions: [
    {
      key: 'retry',
      label: w.retry,
      document: RetryRun,
      allowed: (run) => run.viewerCan.retry && run.status === 'FAILED',
      confirm: ({ revision, isTest }) => (isTest ? w.retryTest : w.retryConfirm(revision)),
      done: w.retried,
    },
    {
      key: 'rerun',
      label: w.rerun,
      document: RerunRun,
      // A test is started again in the editor.
      allowed: (run) => run.viewerCan.rerun && !run.isTest,
      form: { fields: ['payload'], initial: ({ payload }) => ({ payload }) },
      done: w.rerunStarted,
      opens: (payload) => ({ noun: 'runs', id: (payload['run'] as { id: string }).id }),
    },
    {
      key: 'cancel',
      label: w.cancel,
      document: CancelRun,
      allowed: (run) => run.viewerCan.cancel && !hasEnded(run),
      confirm: () => w.cancelConfirm,
      isDanger: true,
      done: w.cancelled,
    },
  ],
});
