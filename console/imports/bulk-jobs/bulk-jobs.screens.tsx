import type { ResultOf } from '#console/graph/graphql.ts';
import { exportTargets, targetName } from '#console/imports/targets.words.ts';
import * as format from '#console/ui/formats.tsx';
import { lazily } from '#console/ui/lazily.tsx';
import { detail, list, type RowOf, type Screens } from '#console/ui/screens/screen.ts';
import { enumWord } from '#console/words/enums.ts';
import {
  BulkJobFollowed,
  BulkJobPage,
  BulkJobs,
  BulkJobsFollowed,
  CancelBulkJob,
  StartExport,
} from './bulk-jobs.documents.ts';
import { jobWords as w } from './bulk-jobs.words.ts';
import { ExportedFile, JobResult } from './job-result.tsx';
import { StartImport } from './new-import/new-import.documents.ts';
import { ProgressBar, progressText } from './progress-bar.tsx';
import { Rejects } from './rejects.tsx';

type Row = RowOf<ResultOf<typeof BulkJobs>, 'bulkJobs'>;

const durationMs = ({ startedAt, finishedAt }: Row) =>
  startedAt && finishedAt ? Date.parse(finishedAt) - Date.parse(startedAt) : null;

const kind = ({ kind, dryRun }: Row) => (dryRun ? `${enumWord(kind)} (${w.dryRun})` : enumWord(kind));

const jobList = list('bulkJobs', BulkJobs, {
  follow: BulkJobsFollowed,
  columns: [
    { key: 'id', label: w.id, show: format.text((job) => job.databaseId), width: '72px' },
    { key: 'status', label: w.status, show: format.state((job) => job.status) },
    { key: 'kind', label: w.kind, show: format.text(kind), width: '152px' },
    { key: 'target', label: w.target, show: format.text((job) => targetName(job.target)), width: 'minmax(112px, 1fr)' },
    { key: 'profile', label: w.profile, show: format.text((job) => job.profile), width: 'minmax(128px, 2fr)' },
    {
      key: 'progress',
      label: w.progress,
      show: { text: progressText, draw: (job) => <ProgressBar job={job} /> },
      width: '128px',
    },
    { key: 'written', label: w.rowsWritten, show: format.number((job) => job.rowsWritten) },
    { key: 'unchanged', label: w.rowsUnchanged, show: format.number((job) => job.rowsUnchanged) },
    { key: 'rejected', label: w.rowsRejected, show: format.number((job) => job.rowsRejected) },
    { key: 'created', label: w.created, show: format.time((job) => job.createdAt) },
  ],
  orders: { created: 'CREATED_AT' },
  filters: [
    {
      kind: 'choice',
      key: 'status',
      label: w.status,
      many: true,
      options: ['QUEUED', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED'],
    },
    { kind: 'choice', key: 'kind', label: w.kind, options: ['IMPORT', 'EXPORT'] },
    {
      kind: 'choice',
      key: 'target',
      label: w.target,
      options: exportTargets.map(({ value }) => value),
      nameOf: targetName,
    },
  ],
  actions: [
    {
      key: 'export',
      label: w.startExport,
      creates: true,
      document: StartExport,
      form: {
        fields: ['target', 'profile', 'format', 'filter'],
        lookups: { profile: { noun: 'import-profiles', by: 'name' } },
        choices: { target: () => exportTargets },
      },
      done: w.exportStarted,
      opens: (payload) => ({ noun: 'imports', id: (payload['bulkJob'] as { id: string }).id }),
    },
  ],
  links: [{ id: 'new', label: w.newImport, document: StartImport }],
  empty: w.empty,
});

const jobPage = detail('bulkJob', BulkJobPage, {
  follow: BulkJobFollowed,
  hasEnded: (job) => job.finishedAt !== null,
  title: (job) => w.job(enumWord(job.kind), targetName(job.target), job.databaseId),
  state: (job) => job.status,
  facts: [
    { key: 'profile', label: w.profile, show: format.text((job) => job.profile) },
    { key: 'dryRun', label: w.dryRun, show: format.flag((job) => job.dryRun) },
    { key: 'created', label: w.created, show: format.exactTime((job) => job.createdAt) },
    { key: 'started', label: w.started, show: format.exactTime((job) => job.startedAt) },
    { key: 'finished', label: w.finished, show: format.exactTime((job) => job.finishedAt) },
    { key: 'duration', label: w.duration, show: format.duration(durationMs) },
  ],
  sections: [
    {
      key: 'error',
      title: w.error,
      when: (job) => job.error !== null,
      draw: (job) => <pre className="error-text">{job.error}</pre>,
    },
    { key: 'result', title: w.result, draw: (job) => <JobResult job={job} /> },
    {
      key: 'file',
      title: w.file,
      when: (job) => job.downloadUrl !== null,
      draw: (job) => <ExportedFile url={job.downloadUrl ?? ''} />,
    },
    {
      key: 'rejects',
      title: w.rejects,
      when: (job) => job.rejectsUrl !== null && job.finishedAt !== null,
      draw: (job) => <Rejects url={job.rejectsUrl ?? ''} />,
    },
  ],
  actions: [
    {
      key: 'cancel',
      label: w.cancel,
      document: CancelBulkJob,
      allowed: (job) => job.viewerCan.cancel && (job.status === 'QUEUED' || job.status === 'RUNNING'),
      confirm: () => w.cancelConfirm,
      isDanger: true,
      done: w.cancelled,
    },
  ],
});

const NewImport = lazily(() =>
  import('#console/imports/bulk-jobs/new-import/new-import.tsx').then(({ NewImport }) => NewImport),
);

export const imports: Screens = { list: jobList, detail: jobPage, pages: { new: () => <NewImport /> } };
