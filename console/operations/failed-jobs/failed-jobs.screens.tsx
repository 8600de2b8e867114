import type { ResultOf } from '#console/graph/graphql.ts';
import * as format from '#console/ui/formats.tsx';
import { JsonTree } from '#console/ui/json-tree.tsx';
import { detail, list, type Screens } from '#console/ui/screens/screen.ts';
import {
  DiscardFailedJob,
  FailedJobPage,
  type FailedJobRow,
  FailedJobs,
  RetryFailedJob,
  RetryFailedJobs,
} from './failed-jobs.documents.ts';
import { failedJobWords as w } from './failed-jobs.words.ts';

/** The tenant that the job was sent for; jobs of the installation have none. */
const tenant = format.text(({ payload }: ResultOf<typeof FailedJobRow>) => {
  const { tenantId } = payload as { tenantId?: unknown };
  return typeof tenantId === 'string' ? tenantId : '';
});

const jobList = list('failedJobs', FailedJobs, {
  columns: [
    { key: 'job', label: w.job, show: format.text((job) => job.job), width: 'minmax(192px, 2fr)' },
    { key: 'tenant', label: w.tenant, show: tenant, width: 'minmax(96px, 1fr)' },
    { key: 'error', label: w.error, show: format.text((job) => job.error), width: 'minmax(192px, 4fr)' },
    { key: 'attempts', label: w.attempts, show: format.number((job) => job.attempts) },
    { key: 'failed', label: w.failedAt, show: format.time((job) => job.failedAt) },
  ],
  filters: [
    { kind: 'text', key: 'job', label: w.job },
    { kind: 'text', key: 'tenant', member: 'tenantId', label: w.tenant },
    { kind: 'times', key: 'time', label: w.failedAt },
  ],
  bulk: [
    {
      key: 'retry',
      verb: w.retry,
      label: w.retryMany,
      document: RetryFailedJobs,
      allowed: (job) => job.viewerCan.retry,
    },
  ],
  empty: w.empty,
});

const jobPage = detail('node', FailedJobPage, {
  title: (job) => job.job,
  facts: [
    { key: 'tenant', label: w.tenant, show: tenant },
    { key: 'attempts', label: w.attempts, show: format.number((job) => job.attempts) },
    { key: 'sent', label: w.sentAt, show: format.exactTime((job) => job.sentAt) },
    { key: 'failed', label: w.failedAt, show: format.exactTime((job) => job.failedAt) },
    { key: 'id', label: w.jobId, show: format.handle((job) => job.jobId) },
  ],
  sections: [
    { key: 'error', title: w.error, draw: ({ error }) => <pre className="error-text">{error}</pre> },
    { key: 'payload', title: w.payload, draw: ({ payload }) => <JsonTree value={payload} /> },
  ],
  actions: [
    {
      key: 'retry',
      label: w.retry,
      document: RetryFailedJob,
      allowed: (job) => job.viewerCan.retry,
      confirm: () => w.retryAbout,
      done: w.retried,
    },
    {
      key: 'discard',
      label: w.discard,
      document: DiscardFailedJob,
      allowed: (job) => job.viewerCan.discard,
      confirm: () => w.discardConfirm,
      isDanger: true,
      done: w.discarded,
    },
  ],
});

export const failedJobs: Screens = { list: jobList, detail: jobPage };
