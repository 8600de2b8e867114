import { type Chore, hourMs, inBatches, minuteMs } from '#src/infra/chores.ts';
import { sweepExports } from './bulk-jobs/export-results.service.ts';
import { sweepStaging } from './bulk-jobs/staging-sweep.service.ts';
import { takeUpJobs } from './bulk-jobs/wake-jobs.service.ts';
import { startDueTransfers, sweepTransferFiles } from './transfers/due-transfers.service.ts';
import { sweepUploads } from './uploads/uploads.service.ts';

/** The repeating work of imports. */
export const importsChores: readonly Chore[] = [
  {
    name: 'take-up-bulk-jobs',
    everyMs: 1_000,
    work: takeUpJobs,
    fault: 'Jobs without a worker could not be looked for.',
  },
  {
    name: 'sweep-import-rows',
    everyMs: minuteMs,
    firstMs: minuteMs,
    work: inBatches(sweepStaging),
    fault: 'Rows of ended imports could not be deleted.',
  },
  {
    name: 'sweep-uploads',
    everyMs: hourMs,
    firstMs: minuteMs,
    work: inBatches(sweepUploads),
    fault: 'Uploads that were not imported in time could not be deleted.',
  },
  {
    name: 'sweep-exports',
    everyMs: hourMs,
    firstMs: minuteMs,
    work: inBatches(sweepExports),
    fault: 'Files of exports could not be deleted after their day.',
  },
  {
    name: 'start-due-transfers',
    everyMs: 1_000,
    work: startDueTransfers,
    fault: 'Scheduled transfers could not be looked for.',
  },
  {
    name: 'sweep-transfer-files',
    everyMs: hourMs,
    firstMs: minuteMs,
    work: inBatches(sweepTransferFiles),
    fault: 'What is known of files that were fetched long ago could not be deleted.',
  },
];
