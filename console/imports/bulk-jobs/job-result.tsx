import { type Figure, Figures } from '#console/ui/figures.tsx';
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
  const figures: Figure[] =
    job.kind === 'EXPORT'
      ? [{ label: w.rowsExported, count: job.rowsWritten }]
      : [
          { label: w.rowsRead, count: job.rowsRead },
          { label: job.dryRun ? w.rowsWouldChange : w.rowsWritten, count: job.rowsWritten, tone: 'succeeded' },
          { label: w.rowsUnchanged, count: job.rowsUnchanged },
          { label: w.rowsRejected, count: job.rowsRejected, tone: 'failed' },
        ];
  const isOpen = job.status === 'QUEUED' || job.status === 'RUNNING';
  return (
    <>
      {isOpen && <ProgressBar job={job} />}
      <Figures figures={figures} />
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
