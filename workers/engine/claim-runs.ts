import type { RunClaim } from '#src/automation/runs/held-runs.store.ts';
import { finishRuns } from '#src/automation/runs/run-finishing.service.ts';
import { notifyRuns } from '#src/automation/runs/run-notices.service.ts';
import type { RunQueue } from '#src/automation/runs/run-queue.service.ts';
import { executeRunJob } from '#src/automation/runs/runs.declarations.ts';
import type { Deps } from '#src/infra/deps.ts';
import { awaitAll } from '#src/infra/postgres/tx.ts';
import { type Cause, readCause } from '#src/infra/tracing/cause.ts';
import { type ClaimedRow, claimQueuedRuns } from './statements/run-claims.ts';
import { holdLease } from './write-step-log.ts';

/** A run that this worker now holds. */
export interface ClaimedRun {
  tenantId: string;
  orgId: string;
  id: number;
  /** Later writes about the run must carry this claim. */
  claim: RunClaim;
  workflowId: number;
  bundleId: number;
  revision: number;
  triggerHandle: string | null;
  triggerType: string;
  payload: unknown;
  startedAt: Date;
  /** The run has not been claimed before, so it has no steps to load. */
  fresh: boolean;
  retries: number;
  isTest: boolean;
  depth: number;
  /** The run at the head of its chain; null when this is the head. */
  rootRunId: number | null;
  createdAt: Date;
  /** What started the run. */
  cause: Cause;
}

/**
 * Takes up to `limit` jobs out of the queue and claims their runs, in one transaction: from then on the worker's lease replaces the
 * job, and putting the run back queues a new job. Runs that cannot be claimed (ended, held elsewhere, not yet due) are skipped.
 * `fetched` is the number of jobs taken: when it equals the limit, there may be more.
 */
export async function claimRuns(
  deps: Pick<Deps, 'database'> & RunQueue,
  options: { workerId: string; limit: number; ignoreTenants: string[] },
): Promise<{ runs: ClaimedRun[]; fetched: number }> {
  return deps.database.withSystem(async (client) => {
    const jobs = await deps.jobs.take(executeRunJob, options.limit, {
      tx: client,
      ignoreGroups: options.ignoreTenants,
    });
    if (jobs.length === 0) return { runs: [], fetched: 0 };
    // Two jobs may name the same run.
    const wanted = new Map(
      jobs.map(({ data }): [key: string, run: [tenantId: string, runId: string]] => {
        const { tenantId, runId } = executeRunJob.schema.parse(data);
        return [`${tenantId}/${runId}`, [tenantId, String(runId)]];
      }),
    );
    const [, rows] = await awaitAll([
      holdLease(client, options.workerId),
      claimQueuedRuns(client, options.workerId, [...wanted.values()]),
    ]);
    const cancelled = rows.filter((row) => row.cancel_requested_at !== null);
    if (cancelled.length > 0) {
      await finishRuns(
        client,
        deps,
        options.workerId,
        cancelled.map((row) => ({
          tenantId: row.tenant_id,
          runId: row.id,
          claim: toClaim(row),
          status: 'cancelled',
          error: null,
          result: null,
        })),
      );
    }
    const live = rows.filter((row) => row.cancel_requested_at === null);
    notifyRuns(client, live);
    return { runs: live.map(toRun), fetched: jobs.length };
  });
}

const toClaim = (row: ClaimedRow): RunClaim => ({
  tenantId: row.tenant_id,
  runId: row.id,
  version: row.version,
  nonce: row.nonce,
  claimedAt: row.updated_at.toISOString(),
});

const toRun = (row: ClaimedRow): ClaimedRun => ({
  tenantId: row.tenant_id,
  orgId: row.org_id,
  id: row.id,
  claim: toClaim(row),
  workflowId: row.workflow_id,
  bundleId: row.bundle_id,
  revision: row.revision,
  triggerHandle: row.trigger_handle,
  triggerType: row.trigger_type,
  payload: row.payload,
  startedAt: row.started_at,
  // Version 1 is the insert; the first claim makes it 2.
  fresh: row.version === 2,
  retries: row.retries,
  isTest: row.is_test,
  depth: row.depth,
  rootRunId: row.root_run_id,
  createdAt: row.created_at,
  cause: readCause(row),
});
