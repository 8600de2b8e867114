import type { SystemTx } from '#src/infra/postgres/database.ts';
import { toColumns } from '#src/infra/postgres/statements/columns.ts';
import type { StepStatus } from './run-status.rules.ts';

/**
 * One claim of a run. After a failover to a standby that lacks the last commits, ids and versions are reused; the random key of
 * the run and the time of the claim are not.
 */
export interface RunClaim {
  tenantId: string;
  runId: number;
  /** The version after the claim. */
  version: number;
  /** A random value that is unique to the run; null for runs that are older than this column. */
  nonce: string | null;
  /** In ISO 8601. While a worker holds a run, this is the run's `updated_at`. */
  claimedAt: string;
}

interface RecordedStep {
  path: string;
  attempt: number;
  status: StepStatus;
}

/** A run that a worker has under way, and the last of its steps whose record was acknowledged. */
export interface HeldRun {
  claim: RunClaim;
  recorded?: RecordedStep;
}

/** The parts of a step that the worker keeps in memory: all but its outputs. */
export const recordedStep = ({ path, attempt, status }: RecordedStep): RecordedStep => ({ path, attempt, status });

/** SQL: `worker` holds the row `r` of `runs` under the claim in the columns of `given`. CASE makes the planner use the run's key. */
export const isHeldSql = (given: string, worker: string): string =>
  `CASE r.status WHEN 'running' THEN r.worker_id = ${worker} AND r.version = ${given}.version
      AND r.nonce IS NOT DISTINCT FROM ${given}.nonce AND r.updated_at = ${given}.claimed_at ELSE false END`;

/** The columns of claims that `isHeldSql` reads, besides those that name the run. */
export const claimTypes = { version: 'integer', nonce: 'uuid', claimed_at: 'timestamptz' };
export const claimColumns = (claims: readonly Partial<RunClaim>[]): unknown[] =>
  toColumns(claims, 'version', 'nonce', 'claimedAt');

export interface NotHeld {
  /** Its position in the list of runs asked for. */
  place: number;
  /**
   * True when the database has lost the claim, or the record of a step. Otherwise the run was released or ended since: by a commit
   * whose response was lost, or by another worker.
   */
  isLost: boolean;
}

/**
 * Returns the runs that the worker does not hold under the claim it has in memory, or whose last record is missing. A failover loses
 * the last commits, so when the last record exists, all earlier ones do.
 */
export async function findNotHeld(
  tx: Pick<SystemTx, 'query'>,
  workerId: string,
  runs: readonly HeldRun[],
): Promise<NotHeld[]> {
  const { rows } = await tx.query<NotHeld>({
    name: 'find-runs-not-held',
    text: `SELECT place::int, NOT is_later AS "isLost" FROM (
        SELECT given.place, coalesce(run.is_later, false) AS is_later, coalesce(run.is_held, false) AND (given.path IS NULL OR EXISTS (
          SELECT FROM steps s WHERE s.tenant_id = given.tenant_id AND s.run_id = given.id AND s.path = given.path
            AND s.attempt = given.attempt AND (s.status = given.step_status OR s.completed_at IS NOT NULL)
        )) AS is_held
        FROM unnest($2::text[], $3::bigint[], $4::integer[], $5::uuid[], $6::timestamptz[], $7::text[], $8::smallint[], $9::text[])
          WITH ORDINALITY AS given(tenant_id, id, version, nonce, claimed_at, path, attempt, step_status, place)
        LEFT JOIN LATERAL (
          SELECT r.version > given.version AS is_later, ${isHeldSql('given', '$1')} AS is_held FROM runs r
          WHERE r.tenant_id = given.tenant_id AND r.id = given.id AND r.nonce IS NOT DISTINCT FROM given.nonce OFFSET 0
        ) AS run ON true
      ) AS found WHERE NOT is_held`,
    values: [
      workerId,
      ...toColumns(
        runs.map(({ claim }) => claim),
        'tenantId',
        'runId',
      ),
      ...claimColumns(runs.map(({ claim }) => claim)),
      ...toColumns(
        runs.map(({ recorded }) => ({ ...recorded })),
        'path',
        'attempt',
        'status',
      ),
    ],
  });
  return rows;
}
