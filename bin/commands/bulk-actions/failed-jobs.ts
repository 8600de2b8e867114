import { bulkCommand } from './bulk-actions.ts';

export const retry = bulkCommand({
  mutation: 'retryFailedJobs',
  list: 'failedJobs',
  select: 'jobId job error',
  lineOf: ({ jobId, job, error }: { jobId: string; job: string; error: string }) => `${jobId}  ${job}  ${error}`,
  isOfOperators: true,
});
