import { numberText } from '#console/words/values.ts';
import { jobWords as w } from './bulk-jobs.words.ts';
import { ProgressBar } from './progress-bar.tsx';

interface Job {
  kind: string;
  status: string;
  progress: number;
  dryRun: boolean;
  rowsRead: number;
  rowsWritten: number;
  rowsUnchanged: number;
  rowsRejected: number;
}

/** What became of the rows so far. */
export function JobResult({ job }: { job: Job }) {
  const figures: [label: string, count: number, name: string][] =
    job.kind === 'EXPORT'
      ? [[w.rowsExported, job.rowsWritten, 'read']]
      : [
          [w.rowsRead, job.rowsRead, 'read'],
          [job.dryRun ? w.rowsWouldChange : w.rowsWritten, job.rowsWritten, 'written'],
          [w.rowsUnchanged, job.rowsUnchanged, 'unchanged'],
          [w.rowsRejected, job.rowsRejected, 'rejected'],
        ];
  const isOpen = job.status === 'QUEUED' || job.status === 'RUNNING';
  return (
    <>
      {isOpen && <ProgressBar job={job} />}
      <dl className="job-figures">
        {figures.map(([label, count, name]) => (
          <div key={name} className={`job-figure job-figure-${count > 0 ? name : 'none'}`}>
            <dd>{numberText(count)}</dd>
            <dt>{label}</dt>
          </div>
        ))}
      </dl>
      {job.dryRun && <p className="quiet">{isOpen ? w.trying : w.tried}</p>}
    </>
  );
}

/** The file that an export has written. */
export function ExportedFile({ url }: { url: string }) {
  return (
    <>
      <a className="button button-main" href={url} download>
        {w.fileDownload}
      </a>
      <p className="quiet">{w.fileUntil}</p>
    </>
  );
}
