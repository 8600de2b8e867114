import type { Database, SystemTx, TenantTx } from '#src/infra/postgres/database.ts';
import { toColumns } from '#src/infra/postgres/statements/columns.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import type { Sweep, Swept } from './sweep.rules.ts';

/** A poll whose lease a worker holds. */
export interface TakenPoll {
  tenantId: string;
  orgId: string;
  triggerId: number;
  workflowId: number;
  handle: string;
  config: unknown;
  requestedAt: Date;
  watermark: string | null;
  sweep: Sweep | null;
  failures: number;
  /** The current time by the database's clock. */
  now: Date;
  lease: string;
}

export type HeldPoll = Pick<TakenPoll, 'tenantId' | 'triggerId' | 'lease'>;

/** The seconds of a lease. After a crash, another worker continues the poll when the lease has ended. */
export const leaseSeconds = 10;
/** The most polls of one tenant that run at a time, so that slow APIs of a tenant do not keep other tenants waiting. */
const runningOfTenant = 4;

/** Takes the lease of a poll that waits for a worker, or whose worker has died. The caller must hold the lock of the tenant's polls. */
export async function takePoll(tx: Tx, { tenantId, triggerId, lease }: HeldPoll): Promise<TakenPoll | undefined> {
  const { rows } = await tx.query<TakenPoll>({
    name: 'take-poll',
    text: `UPDATE polls p SET lease = $3, lease_until = now() + make_interval(secs => ${leaseSeconds}), last_polled_at = now()
      FROM triggers t, tenants o
      WHERE p.tenant_id = $1 AND p.trigger_id = $2 AND t.tenant_id = p.tenant_id AND t.id = p.trigger_id AND o.id = p.tenant_id
        AND p.requested_at IS NOT NULL AND (p.lease_until IS NULL OR p.lease_until < now())
        AND (p.retry_at IS NULL OR p.retry_at <= now())
        AND (SELECT count(*) FROM polls r WHERE r.tenant_id = $1 AND r.lease_until > now()) < ${runningOfTenant}
      RETURNING p.tenant_id AS "tenantId", o.org_id AS "orgId", p.trigger_id AS "triggerId", p.workflow_id AS "workflowId", t.handle,
        t.config, p.requested_at AS "requestedAt", p.watermark, p.sweep, p.failures, clock_timestamp() AS now, p.lease`,
    values: [tenantId, triggerId, lease],
  });
  return rows[0];
}

/** Renews the lease. Returns false if another worker has the poll, or its trigger was changed. */
export async function renewPoll({ tenantQuery }: Pick<Database, 'tenantQuery'>, held: HeldPoll): Promise<boolean> {
  const rows = await tenantQuery(held.tenantId, {
    name: 'renew-poll',
    text: `UPDATE polls SET lease_until = now() + make_interval(secs => ${leaseSeconds})
      WHERE tenant_id = $1 AND trigger_id = $2 AND lease = $3 RETURNING trigger_id`,
    values: [held.tenantId, held.triggerId, held.lease],
  });
  return rows.length > 0;
}

/** Locks a poll until the transaction ends. Returns false if this worker no longer holds the lease, and so must not write. */
export async function holdPoll(tx: SystemTx, { tenantId, triggerId, lease }: HeldPoll): Promise<boolean> {
  const { rows } = await tx.query({
    name: 'hold-poll',
    text: 'SELECT FROM polls WHERE tenant_id = $1 AND trigger_id = $2 AND lease = $3 FOR UPDATE',
    values: [tenantId, triggerId, lease],
  });
  return rows.length > 0;
}

/** Remembers records, and returns the identities of those that are new. */
export async function addKeys(
  tx: SystemTx,
  { tenantId, triggerId }: HeldPoll,
  records: readonly { identity: string; at: Date | null }[],
): Promise<Set<string>> {
  const keys = records.map(({ identity, at }) => ({ key: Buffer.from(identity, 'base64url'), at }));
  const { rows } = await tx.query<{ key: Buffer }>({
    name: 'add-poll-keys',
    text: `INSERT INTO poll_keys (tenant_id, trigger_id, key, at)
      SELECT $1, $2, key, at FROM unnest($3::bytea[], $4::timestamptz[]) AS t(key, at) ON CONFLICT DO NOTHING RETURNING key`,
    values: [tenantId, triggerId, ...toColumns(keys, 'key', 'at')],
  });
  return new Set(rows.map(({ key }) => key.toString('base64url')));
}

/** Stores the progress of a poll after a page. */
export async function movePoll(
  tx: SystemTx,
  { tenantId, triggerId }: HeldPoll,
  {
    sweep,
    watermark,
    seen,
    fired,
  }: { sweep: string | null; watermark: Swept['watermark']; seen: number; fired: number },
): Promise<void> {
  await tx.query({
    name: 'move-poll',
    text: `UPDATE polls SET sweep = $3::jsonb, watermark = $4, pages_read = pages_read + 1, records_seen = records_seen + $5,
        records_fired = records_fired + $6, waits = false
      WHERE tenant_id = $1 AND trigger_id = $2`,
    values: [tenantId, triggerId, sweep, watermark, seen, fired],
  });
}

/** Counts the queued runs of a workflow, among the 10,000 oldest queued runs of the installation. */
export async function countQueued(tx: Pick<Tx, 'query'>, tenantId: string, workflowId: number): Promise<number> {
  const { rows } = await tx.query<{ queued: number }>({
    name: 'count-queued-of-poll',
    // A search by workflow would read all runs of its history.
    text: `WITH queued AS MATERIALIZED (SELECT tenant_id, workflow_id FROM runs WHERE status = 'queued' ORDER BY id LIMIT 10000)
      SELECT count(*)::int AS queued FROM queued WHERE tenant_id = $1 AND workflow_id = $2`,
    values: [tenantId, workflowId],
  });
  return rows[0]?.queued ?? 0;
}

/**
 * Forgets records that are older than the window and that the API can no longer answer, because the next poll begins after them. Returns true
 * if there may be more.
 */
export async function forgetKeys(
  system: Pick<Tx, 'query'>,
  { tenantId, triggerId }: Pick<HeldPoll, 'tenantId' | 'triggerId'>,
  { windowSeconds, from }: { windowSeconds: number; from: string | null },
): Promise<boolean> {
  const { rowCount } = await system.query({
    name: 'forget-poll-keys',
    text: `DELETE FROM poll_keys WHERE tenant_id = $1 AND trigger_id = $2 AND key IN (
        SELECT key FROM poll_keys WHERE tenant_id = $1 AND trigger_id = $2 AND seen_at < now() - make_interval(secs => $3)
          AND (at IS NULL OR at < $4::timestamptz) ORDER BY seen_at LIMIT 5000)`,
    values: [tenantId, triggerId, windowSeconds, from],
  });
  return rowCount === 5_000;
}

/** Ends a successful poll. A request that was made during the poll stays. */
export async function endPoll(
  { tenantQuery }: Pick<Database, 'tenantQuery'>,
  { tenantId, triggerId, lease, requestedAt }: TakenPoll,
): Promise<void> {
  await tenantQuery(tenantId, {
    name: 'end-poll',
    text: `UPDATE polls SET lease = NULL, lease_until = NULL, announced_at = NULL, retry_at = NULL, waits = false,
        requested_at = CASE WHEN requested_at > $4 THEN requested_at END, last_success_at = now(), last_error = NULL, failures = 0
      WHERE tenant_id = $1 AND trigger_id = $2 AND lease = $3`,
    values: [tenantId, triggerId, lease, requestedAt],
  });
}

/** Releases a poll that has not ended yet. It continues after `inSeconds`. */
export async function releasePoll(
  { tenantQuery }: Pick<Database, 'tenantQuery'>,
  { tenantId, triggerId, lease }: HeldPoll,
  { inSeconds, waits }: { inSeconds: number; waits: boolean },
): Promise<void> {
  await tenantQuery(tenantId, {
    text: `UPDATE polls SET lease = NULL, lease_until = NULL, announced_at = NULL, retry_at = now() + make_interval(secs => $4), waits = $5
      WHERE tenant_id = $1 AND trigger_id = $2 AND lease = $3`,
    values: [tenantId, triggerId, lease, inSeconds, waits],
  });
}

export interface FailedPoll {
  name: string;
  /** The number of failures since the last success, including this one. */
  failures: number;
  lastSuccessAt: Date | null;
}

/**
 * Ends a failed poll. It continues after `inSeconds`, or at its next time if that is undefined; with `restarts`, it then begins its sweep again.
 * Returns undefined if another worker has the poll.
 */
export async function failPoll(
  tx: Tx,
  { tenantId, triggerId, lease, requestedAt }: TakenPoll,
  { error, inSeconds, restarts }: { error: string; inSeconds: number | undefined; restarts: boolean },
): Promise<FailedPoll | undefined> {
  const { rows } = await tx.query<FailedPoll>({
    name: 'fail-poll',
    text: `UPDATE polls p SET lease = NULL, lease_until = NULL, announced_at = NULL, last_error = $4, failures = failures + 1,
        waits = false, retry_at = now() + make_interval(secs => $5), sweep = CASE WHEN $6 THEN NULL ELSE sweep END,
        requested_at = CASE WHEN $5 IS NOT NULL OR requested_at > $7 THEN requested_at END
      WHERE tenant_id = $1 AND trigger_id = $2 AND lease = $3
      RETURNING failures, last_success_at AS "lastSuccessAt",
        (SELECT name FROM triggers t WHERE t.tenant_id = p.tenant_id AND t.id = p.trigger_id) AS name`,
    values: [tenantId, triggerId, lease, error, inSeconds ?? null, restarts, requestedAt],
  });
  return rows[0];
}

/** Ends the lease of a poll, so that its worker does not store the current page. With `restarts`, the sweep begins again. */
export async function seizePoll(
  tx: TenantTx,
  { tenantId, triggerId, restarts }: PollKey & { restarts: boolean },
): Promise<void> {
  await tx.query(
    `UPDATE polls SET lease = NULL, lease_until = NULL, announced_at = NULL, retry_at = NULL, waits = false,
       sweep = CASE WHEN $3 THEN NULL ELSE sweep END
     WHERE tenant_id = $1 AND trigger_id = $2`,
    [tenantId, triggerId, restarts],
  );
}

interface PollKey {
  tenantId: string;
  triggerId: bigint;
}

/** Locks a poll until the transaction ends, if it exists. */
export async function lockPollRow(tx: Tx, { tenantId, triggerId }: PollKey): Promise<void> {
  await tx.query('SELECT FROM polls WHERE tenant_id = $1 AND trigger_id = $2 FOR UPDATE', [tenantId, triggerId]);
}

/** Makes a poll due now. Each request has a later time than the one before, so a request during a poll causes another poll. */
export async function requestPoll(tx: Tx, { tenantId, triggerId }: PollKey): Promise<void> {
  await tx.query(
    `UPDATE polls SET requested_at = greatest(now(), requested_at + interval '1 ms'), retry_at = NULL
     WHERE tenant_id = $1 AND trigger_id = $2`,
    [tenantId, triggerId],
  );
}

/** Forgets fired records whose position is `from` or later, or all of them if `from` is null. */
export async function forgetKeysFrom(
  tx: Tx,
  { tenantId, triggerId, from }: PollKey & { from: string | null },
): Promise<void> {
  await tx.query(
    'DELETE FROM poll_keys WHERE tenant_id = $1 AND trigger_id = $2 AND ($3::timestamptz IS NULL OR at >= $3)',
    [tenantId, triggerId, from],
  );
}
