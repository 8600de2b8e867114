import type { Domain } from '#src/domains/parts/domain.ts';
import {
  auditedBulkJob,
  runBulkJobJob,
  exportCompleted,
  exportFailed,
  importCompleted,
  importFailed,
} from './bulk-jobs/bulk-jobs.declarations.ts';
import { auditedExportSchedule } from './export-schedules/export-schedules.declarations.ts';
import { auditedHttpSource, sealedHttpSource } from './http-sources/http-sources.declarations.ts';
import { auditedImportSchedule } from './import-schedules/import-schedules.declarations.ts';
import { ioScopes, auditedImportProfile } from './profiles/profiles.declarations.ts';
import { auditedSftpAccount, sealedSftpAccount } from './sftp-accounts/sftp-accounts.declarations.ts';
import { runTransferJob, transferFailed } from './transfers/transfers.declarations.ts';

export const importsParts: Domain['parts'] = {
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
};
