import { numberText } from '#console/words/values.ts';
import { jobWords as w } from './bulk-jobs.words.ts';

interface Progressing {
  status: string;
  /** 0 to 1. */
  progress: number;
}

export const progressText = ({ progress }: Progressing): string => `${numberText(Math.floor(progress * 100))} %`;

/** How far a job is; nothing for one that has ended otherwise than at its end. */
export function ProgressBar({ job }: { job: Progressing }) {
  if (job.status !== 'RUNNING' && job.status !== 'QUEUED') return progressText(job);
  return (
    <span className="job-progress">
      <progress max={1} value={job.progress} aria-label={w.progress} />
      {progressText(job)}
    </span>
  );
}
