import type { Tx } from '#src/infra/postgres/tx.ts';
import type { NoticeRow } from './runs.store.ts';

/**
 * Postgres channels on which processes notify each other of commits. A notice may be lost, so the tables are authoritative.
 */
export const channels = {
  /** Changes of runs, as `RunNotice[]`. */
  runs: 'causeway_runs',
  /** `[tenantId, runId]` of runs whose steps changed. */
  steps: 'causeway_steps',
  /** `[tenantId, runId]` of runs that logged. */
  logs: 'causeway_logs',
  /** `[tenantId, deadLetterId]`. */
  deadLetters: 'causeway_dead_letters',
  /** `[tenantId, deadLetterId]` of those that were captured or settled. */
  deadLetterChanges: 'causeway_dead_letter_changes',
  /** `[tenantId, runId]` of running runs to be cancelled. */
  cancel: 'causeway_cancel',
} as const;

/** [tenant, run, workflow, status, version, startedAt, completedAt, updatedAt, has error]; times in epoch ms. */
export type RunNotice = [string, number, number, string, number, number | null, number | null, number, boolean];

/** Notifies of changes once the transaction has committed. */
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
