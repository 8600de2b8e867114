import type { Tx } from '#src/infra/postgres/tx.ts';

/** Postgres channels on which processes tell each other what was committed. The tables are the truth; a notice may be lost. */
export const channels = {
  /** Changes of runs, as `RunNotice[]`. */
  runs: 'causeway_runs',
  /** `[tenantId, runId]` of runs whose steps changed. */
  steps: 'causeway_steps',
  /** `[tenantId, runId]` of runs that logged. */
  logs: 'causeway_logs',
  /** `[tenantId, deadLetterId]`. */
  deadLetters: 'causeway_dead_letters',
  /** `[tenantId, runId]` of running runs to be cancelled. */
  cancel: 'causeway_cancel',
} as const;

/** [tenant, run, workflow, status, version, startedAt, completedAt, updatedAt, has error]; times in epoch ms. */
export type RunNotice = [string, number, number, string, number, number | null, number | null, number, boolean];

/** Columns of `runs` a notice is made of, in order; for RETURNING. */
export const noticeColumns = `r.tenant_id, r.id, r.workflow_id, r.status, r.version, r.started_at, r.completed_at, r.updated_at, r.error`;

export interface NoticeRow {
  tenant_id: string;
  id: number;
  workflow_id: number;
  status: string;
  version: number;
  started_at: Date | null;
  completed_at: Date | null;
  updated_at: Date;
  error: string | null;
}

/** Tells of changes once their transaction has committed. */
export function notifyRuns(tx: Tx, rows: NoticeRow[]): void {
  const notices = rows.map((row): RunNotice => [
    row.tenant_id,
    row.id,
    row.workflow_id,
    row.status,
    row.version,
    row.started_at?.getTime() ?? null,
    row.completed_at?.getTime() ?? null,
    row.updated_at.getTime(),
    row.error !== null,
  ]);
  tx.notify(channels.runs, notices);
}
