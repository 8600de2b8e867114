import { runBulkJobJob } from '#src/imports/bulk-jobs/bulk-jobs.jobs.ts';
import { runBulkJob } from '#src/imports/bulk-jobs/run-bulk-job.service.ts';
import { handle, type JobHandler } from '#src/infra/job-handler.ts';

export const importsHandlers: readonly JobHandler[] = [
  handle(runBulkJobJob, ({ imports }, job) => runBulkJob(imports, job)),
];
