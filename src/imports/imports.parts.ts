import type { Domain } from '#src/domains/parts/domain.ts';
import { auditedBulkJob } from './bulk-jobs/bulk-jobs.audit.ts';
import { runBulkJobJob } from './bulk-jobs/bulk-jobs.jobs.ts';
import { exportCompleted, exportFailed, importCompleted, importFailed } from './bulk-jobs/bulk-jobs.topics.ts';
import { auditedExportSchedule } from './export-schedules/export-schedules.audit.ts';
import { auditedHttpSource } from './http-sources/http-sources.audit.ts';
import { sealedHttpSource } from './http-sources/http-sources.sealed.ts';
import { auditedImportSchedule } from './import-schedules/import-schedules.audit.ts';
import { ioScopes } from './imports.scopes.ts';
import { auditedImportProfile } from './profiles/profiles.audit.ts';
import { auditedSftpAccount } from './sftp-accounts/sftp-accounts.audit.ts';
import { sealedSftpAccount } from './sftp-accounts/sftp-accounts.sealed.ts';
import { runTransferJob } from './transfers/transfers.jobs.ts';
import { transferFailed } from './transfers/transfers.topics.ts';

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
