import {
  auditedBulkJob,
  runBulkJobJob,
  exportCompleted,
  exportFailed,
  importCompleted,
  importFailed,
} from '#src/imports/bulk-jobs/bulk-jobs.declarations.ts';
import { auditedHttpSource, sealedHttpSource } from '#src/imports/http-sources/http-sources.declarations.ts';
import { ioScopes, auditedImportProfile } from '#src/imports/profiles/profiles.declarations.ts';
import { auditedExportSchedule, auditedImportSchedule } from '#src/imports/schedules/schedules.declarations.ts';
import { auditedSftpAccount, sealedSftpAccount } from '#src/imports/sftp-accounts/sftp-accounts.declarations.ts';
import { runTransferJob, transferFailed } from '#src/imports/transfers/transfers.declarations.ts';
import { handle } from '#src/infra/background/job-handler.ts';
import { hourMs, inBatches, minuteMs } from '#src/infra/background/periodic-tasks.ts';
import type { DomainManifest } from './domain-manifest.ts';

/** Import and export of files: uploads, profiles, import and export jobs, transfers. */
export const imports: DomainManifest = {
  name: 'imports',
  declarations: {
    jobs: [runBulkJobJob, runTransferJob],
    topics: [importCompleted, importFailed, exportCompleted, exportFailed, transferFailed],
    audited: [
      auditedImportProfile,
      auditedBulkJob,
      auditedSftpAccount,
      auditedHttpSource,
      auditedImportSchedule,
      auditedExportSchedule,
    ],
    sealedColumns: [sealedSftpAccount, sealedHttpSource],
    scopes: ioScopes,
  },
  services: async () => (await import('#src/imports/imports.ts')).importsServices,
  handlers: [
    handle(runBulkJobJob, async ({ imports }, job) =>
      (await import('#workers/imports/bulk-jobs.worker.ts')).runBulkJob(imports, job),
    ),
    handle(runTransferJob, async ({ imports }, job) =>
      (await import('#src/imports/transfers/run-transfer.service.ts')).runTransfer(imports, job),
    ),
  ],
  graphql: () =>
    Promise.all([
      import('#src/imports/bulk-jobs/bulk-jobs.graphql.ts'),
      import('#src/imports/bulk-jobs/statistics/import-statistics.graphql.ts'),
      import('#src/imports/previews/preview.graphql.ts'),
      import('#src/imports/exports/exports.graphql.ts'),
      import('#src/imports/schedules/export-schedules.graphql.ts'),
      import('#src/imports/http-sources/http-source-actions.graphql.ts'),
      import('#src/imports/schedules/import-schedules.graphql.ts'),
      import('#src/imports/profiles/profiles.graphql.ts'),
      import('#src/imports/profiles/proposal.graphql.ts'),
      import('#src/imports/sftp-accounts/sftp-account-actions.graphql.ts'),
      import('#src/imports/targets/targets.graphql.ts'),
      import('#src/imports/uploads/uploads.graphql.ts'),
    ]),
  routes: async () => ({
    platform: [
      ...(await import('#rest/imports/uploads.routes.ts')).uploadRoutes,
      ...(await import('#rest/imports/profiles.routes.ts')).importProfileRoutes,
      ...(await import('#rest/imports/bulk-jobs.routes.ts')).bulkJobRoutes,
      ...(await import('#rest/imports/files.bytes.ts')).importFileRoutes,
    ],
  }),
  periodicTasks: [
    {
      name: 'take-up-bulk-jobs',
      everyMs: 1_000,
      work: async (deps) => (await import('#src/imports/bulk-jobs/wake-jobs.service.ts')).takeUpJobs(deps),
      fault: 'Jobs without a worker could not be looked for.',
    },
    {
      name: 'sweep-import-rows',
      everyMs: minuteMs,
      firstMs: minuteMs,
      work: inBatches(async (deps) =>
        (await import('#src/imports/staging/staging-sweep.service.ts')).sweepStaging(deps),
      ),
      fault: 'Rows of ended imports could not be deleted.',
    },
    {
      name: 'sweep-uploads',
      everyMs: hourMs,
      firstMs: minuteMs,
      work: inBatches(async (deps) => (await import('#src/imports/uploads/uploads.service.ts')).sweepUploads(deps)),
      fault: 'Uploads that were not imported in time could not be deleted.',
    },
    {
      name: 'sweep-exports',
      everyMs: hourMs,
      firstMs: minuteMs,
      work: inBatches(async (deps) =>
        (await import('#src/imports/exports/export-results.service.ts')).sweepExports(deps),
      ),
      fault: 'Files of exports could not be deleted after their day.',
    },
    {
      name: 'start-due-transfers',
      everyMs: 1_000,
      work: async (deps) => (await import('#src/imports/transfers/due-transfers.service.ts')).startDueTransfers(deps),
      fault: 'Scheduled transfers could not be looked for.',
    },
    {
      name: 'sweep-transfer-files',
      everyMs: hourMs,
      firstMs: minuteMs,
      work: inBatches(async (deps) =>
        (await import('#src/imports/transfers/due-transfers.service.ts')).sweepTransferFiles(deps),
      ),
      fault: 'What is known of files that were fetched long ago could not be deleted.',
    },
  ],
  backgroundLoops: async () => [(await import('#workers/imports/import-events.ts')).importEvents],
};
