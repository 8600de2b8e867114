import { Progress, progressText as percent } from '#console/ui/progress.tsx';
import { jobWords as w } from './bulk-jobs.words.ts';

interface Progressing {
  status: string;
  /** 0 to 1. */
  progress: number;
}

export const progressText = ({ progress }: Progressing): string => percent(progress);

/** How far a job is; the bar is shown until it ends. */
export const ProgressBar = ({ job: { status, progress } }: { job: Progressing }) => (
  <Progress done={progress} isRunning={status === 'RUNNING' || status === 'QUEUED'} label={w.progress} />
);
