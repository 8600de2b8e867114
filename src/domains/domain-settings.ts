import type { FileLimits } from '#src/automation/files/run-files.service.ts';
import type { ImportSettings } from '#src/imports/targets/import-deps.ts';
import type { OperationsSettings } from '#src/operations/operations.ts';
import type { Env } from '#src/process/env.ts';

/** Settings that only one domain reads, by the domain's name. */
export interface DomainSettings {
  automation: { fileLimits: FileLimits };
  imports: ImportSettings;
  operations: OperationsSettings;
}

export const readDomainSettings = (env: Env): DomainSettings => ({
  automation: {
    fileLimits: {
      fileBytes: env.RUN_FILE_BYTES,
      filesPerRun: env.RUN_FILES_PER_RUN,
      tenantBytes: env.RUN_FILES_TENANT_BYTES,
    },
  },
  imports: {
    uploadUrlTtlSeconds: env.UPLOAD_URL_TTL_SECONDS,
    sftpStableMs: env.SFTP_STABLE_MS,
    importPairs: env.IMPORT_PAIRS,
  },
  operations: {
    mail: env.SMTP_URL !== undefined && env.SMTP_FROM !== undefined ? { url: env.SMTP_URL, from: env.SMTP_FROM } : null,
  },
});
