import * as format from '#console/ui/formats.tsx';
import { list, type Screens } from '#console/ui/screens/screen.ts';
import { starter } from './run-starter.ts';
import { hasEnded } from './run-states.ts';
import { CancelRuns, RerunRuns, RetryRuns, Runs, RunsFollowed } from './runs.documents.ts';
import { runWords as w } from './runs.words.ts';

const runList = list('runs', Runs, {
  follow: RunsFollowed,
  columns: [
    { key: 'id', label: w.run(0).replace(' 0', ''), show: format.text((run) => run.databaseId), width: '88px' },
    { key: 'status', label: w.status, show: format.state((run) => run.status) },
    { key: 'workflow', label: w.workflow, show: format.text((run) => run.workflowName), width: 'minmax(160px, 2fr)' },
    { key: 'error', label: w.error, show: format.text((run) => run.error), width: 'minmax(160px, 3fr)' },
    { key: 'startedBy', label: w.startedBy, show: format.text(starter), width: 'minmax(112px, 1fr)' },
    { key: 'created', label: w.created, show: format.time((run) => run.createdAt) },
    { key: 'duration', label: w.duration, show: format.duration((run) => run.durationMs) },
  ],
  orders: { created: 'CREATED_AT', duration: 'DURATION' },
  filters: [
    { kind: 'text', key: 'q', member: 'search', label: w.search },
    {
      kind: 'choice',
      key: 'status',
      label: w.status,
      many: true,
      options: ['QUEUED', 'RUNNING', 'WAITING', 'SUCCEEDED', 'FAILED', 'CANCELLED'],
    },
    { kind: 'times', key: 'time', label: w.created },
    { kind: 'lookup', key: 'workflow', member: 'workflowId', noun: 'workflows', label: w.workflow },
    { kind: 'lookup', key: 'group', member: 'errorGroupId', noun: 'error-groups', label: w.error },
    { kind: 'flag', key: 'tests', member: 'isTest', label: w.tests },
  ],
  bulk: [
    {
      key: 'retry',
      verb: w.retry,
      label: w.retryMany,
      document: RetryRuns,
      allowed: (run) => run.viewerCan.retry && run.status === 'FAILED',
    },
    {
      key: 'rerun',
      verb: w.rerunSelected,
      label: w.rerunMany,
      document: RerunRuns,
      allowed: (run) => run.viewerCan.rerun,
    },
    {
      key: 'cancel',
      verb: w.cancelSelected,
      label: w.cancelMany,
      document: CancelRuns,
      allowed: (run) => run.viewerCan.cancel && !hasEnded(run),
      isDanger: true,
    },
  ],
  empty: w.empty,
});

export const runs: Screens = {
  list: runList,
  loadDetail: () => import('./run.screen.tsx').then(({ runPage }) => runPage),
};
