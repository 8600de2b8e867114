import type { Domain } from '#src/domains/parts/domain.ts';
import { auditedBulkJob } from './bulk-jobs/bulk-jobs.audit.ts';
import { runBulkJobJob } from './bulk-jobs/bulk-jobs.jobs.ts';
import { exportCompleted, exportFailed, importCompleted, importFailed } from './bulk-jobs/bulk-jobs.topics.ts';
import { ioScopes } from './imports.scopes.ts';
import { auditedImportProfile } from './profiles/profiles.audit.ts';

export const importsParts: Domain['parts'] = {
  jobs: [runBulkJobJob],
  topics: [importCompleted, importFailed, exportCompleted, exportFailed],
  audited: [auditedImportProfile, auditedBulkJob],
  scopes: ioScopes,
};
