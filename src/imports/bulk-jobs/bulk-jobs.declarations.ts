import { z } from 'zod';
import { defineJob } from '#src/infra/jobs.ts';
import { defineAudited } from '#src/journal/audit/audited.ts';
import { defineTopic } from '#src/journal/outbox/topic.ts';
import { type BulkJobStatus, bulkJobStatuses } from './bulk-jobs.rules.ts';

export const auditedBulkJob = defineAudited({ type: 'bulk_job', node: 'BulkJob', actions: ['start', 'cancel'] });

const job = z.object({
  id: z.int(),
  kind: z.string(),
  target: z.string(),
  profile: z.string().nullable(),
  status: z.enum(bulkJobStatuses),
  rows_read: z.int(),
  rows_written: z.int(),
  rows_unchanged: z.int(),
  rows_rejected: z.int(),
  error: z.string().nullable(),
  dry_run: z.boolean(),
  created_at: z.iso.datetime(),
  started_at: z.iso.datetime().nullable(),
  finished_at: z.iso.datetime().nullable(),
});

/** A job as a statement reads it. */
export interface JobRow {
  id: number | bigint;
  kind: string;
  target: string;
  profileName: string | null;
  status: string;
  rowsRead: number;
  rowsWritten: number;
  rowsUnchanged: number;
  rowsRejected: number;
  error: string | null;
  dryRun: boolean;
  createdAt: Date;
  startedAt: Date | null;
  finishedAt: Date | null;
}

/** A job as events and nodes describe it. */
export const bulkJobData = (row: JobRow): z.output<typeof job> => ({
  id: Number(row.id),
  kind: row.kind,
  target: row.target,
  profile: row.profileName,
  status: row.status as BulkJobStatus,
  rows_read: row.rowsRead,
  rows_written: row.rowsWritten,
  rows_unchanged: row.rowsUnchanged,
  rows_rejected: row.rowsRejected,
  error: row.error,
  dry_run: row.dryRun,
  created_at: row.createdAt.toISOString(),
  started_at: row.startedAt?.toISOString() ?? null,
  finished_at: row.finishedAt?.toISOString() ?? null,
});

export const importCompleted = defineTopic({
  name: 'import.completed',
  when: 'when an import has read its file and merged what it accepts',
  data: job,
});
export const importFailed = defineTopic({
  name: 'import.failed',
  when: 'when an import cannot go on; `error` says why',
  data: job,
});
export const exportCompleted = defineTopic({
  name: 'export.completed',
  when: 'when the file of an export is written',
  data: job,
});
export const exportFailed = defineTopic({
  name: 'export.failed',
  when: 'when an export cannot go on; `error` says why',
  data: job,
});

/** The lease shows that a worker has died, long before this job expires. A repeat finds the bulk job taken or ended. */
export const runBulkJobJob = defineJob({
  name: 'imports.bulk-job.run',
  schema: z.object({ tenantId: z.string(), bulkJobId: z.int() }),
  retry: { limit: 2, delay: 5 },
  expireInSeconds: 4 * 3_600,
});
