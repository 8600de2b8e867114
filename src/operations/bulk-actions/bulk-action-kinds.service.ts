import { discardDeadLetters, replayDeadLetters } from '#src/automation/dead-letters/bulk-dead-letters.service.ts';
import { cancelRuns, rerunRuns, resumeRuns, retryRuns } from '#src/automation/runs/bulk/bulk-runs.service.ts';
import { resendDeliveries } from '#src/commerce/webhooks/bulk-deliveries.service.ts';
import type { BatchOutcome } from '#src/infra/batch-outcome.ts';
import type { Actor } from '#src/infra/deps.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import type { Services } from '#src/infra/services.ts';
import { retryFailedJobs } from '#src/operations/failed-jobs/bulk-failed-jobs.service.ts';
import type { BulkActionKind } from './bulk-actions.rules.ts';
import { readKeys } from './bulk-actions.store.ts';

export interface Batch {
  services: Pick<Services, 'deps' | 'automation'>;
  actor: Actor;
  bulkActionId: number;
  /** In ascending order. */
  ids: readonly number[];
  /** What the action does to every item, besides its kind. */
  given: unknown;
}

/** Applies an action to a batch of items in the caller's transaction. */
export const applyToBatch: Record<BulkActionKind, (tx: Tx, batch: Batch) => Promise<BatchOutcome>> = {
  retry_runs: (tx, { services, actor, ids, bulkActionId }) =>
    retryRuns(tx, services.automation, actor, ids, bulkActionId),
  rerun_runs: (tx, { services, actor, ids }) => rerunRuns(tx, services.automation, actor, ids),
  resume_runs: (tx, { services, actor, ids, given }) =>
    resumeRuns(tx, services.automation, actor, ids, JSON.stringify(given)),
  cancel_runs: (tx, { services, actor, ids }) => cancelRuns(tx, services.automation, actor, ids),
  replay_dead_letters: (tx, { services, actor, ids }) => replayDeadLetters(tx, services.automation, actor, ids),
  discard_dead_letters: (tx, { actor, ids, bulkActionId }) => discardDeadLetters(tx, actor, ids, bulkActionId),
  resend_webhook_deliveries: (tx, { actor, ids, bulkActionId }) => resendDeliveries(tx, actor, ids, bulkActionId),
  retry_failed_jobs: async (tx, { services, actor, ids, bulkActionId }) =>
    retryFailedJobs(tx, services.deps, actor, await readKeys(tx, bulkActionId, ids), bulkActionId),
};
