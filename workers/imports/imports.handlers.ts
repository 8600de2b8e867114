import { runBulkJobJob } from '#src/imports/bulk-jobs/bulk-jobs.declarations.ts';
import { runBulkJob } from '#src/imports/bulk-jobs/run-bulk-job.service.ts';
import { runTransfer } from '#src/imports/transfers/run-transfer.service.ts';
import { runTransferJob } from '#src/imports/transfers/transfers.declarations.ts';
import { handle, type JobHandler } from '#src/infra/job-handler.ts';

export const importsHandlers: readonly JobHandler[] = [
  handle(runBulkJobJob, ({ imports }, job) => runBulkJob(imports, job)),
  handle(runTransferJob, ({ imports }, job) => runTransfer(imports, job)),
];
