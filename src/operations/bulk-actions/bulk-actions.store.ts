import type { RefusedItem } from '#src/infra/batch-outcome.ts';
import type { Actor } from '#src/infra/deps.ts';
import { toColumns } from '#src/infra/postgres/statements/columns.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import { ofOperators, type OwnerReader, queryOwner } from './bulk-action-owners.store.ts';
import {
  type BatchResult,
  batchStarts,
  type BulkActionKind,
  type BulkActionStatus,
  isAfterRampBatch,
  leaseSeconds,
  maxItems,
  sampleSize,
} from './bulk-actions.rules.ts';

/** A statement that yields ids. */
export interface IdStatement {
  text: string;
  values: unknown[];
}

/** From the moment of writing: a transaction may have begun long before. */
const leaseEnd = `clock_timestamp() + make_interval(secs => ${leaseSeconds})`;

export async function countUnfinished(tx: Tx, tenantId: string): Promise<number> {
  const { rows } = await tx.query<{ count: number }>(
    `SELECT count(*) FROM bulk_actions WHERE tenant_id = $1 AND status IN ('queued', 'running')`,
    [tenantId],
  );
  return rows[0]?.count ?? 0;
}

export interface NewBulkAction {
  kind: BulkActionKind;
  /** JSON text. */
  given: string | null;
}

export async function insertBulkAction(tx: Tx, actor: Actor, { kind, given }: NewBulkAction): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    `INSERT INTO bulk_actions (tenant_id, kind, given, org_id, actor_user_id, actor_sub, actor_email, channel)
     VALUES ($1, $2, $3::jsonb, $4, $5, $6, $7, $8) RETURNING id`,
    [actor.tenantId, kind, given, actor.orgId, actor.userId, actor.sub, actor.email, actor.channel],
  );
  return rows[0]?.id as number;
}

/** Stores the ids that the statement yields as the batches of an action, oldest first, and returns how many they are: at most one too many. */
export async function insertBatches(
  tx: Tx,
  { tenantId, actionId, kind }: { tenantId: string; actionId: number; kind: BulkActionKind },
  { text, values }: IdStatement,
): Promise<number> {
  const own = (place: number): string => `$${values.length + place}`;
  const { rows } = await tx.query<{ count: number }>(
    `WITH chosen AS MATERIALIZED (
       SELECT id, row_number() OVER (ORDER BY id)::int AS number FROM (SELECT id FROM (${text}) AS matching ORDER BY id LIMIT ${maxItems + 1}) AS first
     ), batches AS (
       INSERT INTO bulk_action_batches (tenant_id, action_id, n, items)
       SELECT ${own(1)}, ${own(2)}, width_bucket(number, ${own(3)}::int[]) - 1 AS n, array_agg(id ORDER BY id) FROM chosen GROUP BY n
     ), counted AS (SELECT count(*)::int AS count FROM chosen)
     UPDATE bulk_actions SET total = least(count, ${maxItems}) FROM counted WHERE tenant_id = ${own(1)} AND id = ${own(2)} RETURNING count`,
    [...values, tenantId, actionId, batchStarts(kind)],
  );
  return rows[0]?.count ?? 0;
}

/** Stores the UUIDs that the statement yields, at most one too many, and returns a statement that yields their numbers. */
export async function insertKeys(
  tx: Tx,
  { tenantId, actionId }: { tenantId: string; actionId: number },
  { text, values }: IdStatement,
): Promise<IdStatement> {
  await tx.query(
    `INSERT INTO bulk_action_keys (tenant_id, action_id, item, key)
     SELECT $${values.length + 1}, $${values.length + 2}, item, key FROM (${text}) AS matching WHERE item <= ${maxItems + 1}`,
    [...values, tenantId, actionId],
  );
  return {
    text: 'SELECT item AS id FROM bulk_action_keys WHERE tenant_id = $1 AND action_id = $2',
    values: [tenantId, actionId],
  };
}

/** The UUIDs of these items of an action of operators. */
export async function readKeys(
  tx: Tx,
  actionId: number,
  items: readonly number[],
): Promise<{ item: number; key: string }[]> {
  const { rows } = await tx.query<{ item: number; key: string }>(
    'SELECT item, key FROM bulk_action_keys WHERE tenant_id = $1 AND action_id = $2 AND item = ANY($3::bigint[]) ORDER BY item',
    [ofOperators, actionId, items],
  );
  return rows;
}

/** How many UUIDs the statement yields, at most one too many, and the first of them. */
export async function countKeys(
  reader: OwnerReader,
  owner: string,
  { text, values }: IdStatement,
): Promise<{ count: number; sample: string[] }> {
  const [row] = await queryOwner<{ count: number; sample: string[] | null }>(reader, owner, {
    text: `WITH chosen AS MATERIALIZED (SELECT key, item FROM (${text}) AS matching WHERE item <= ${maxItems + 1})
      SELECT (SELECT count(*) FROM chosen) AS count, (SELECT jsonb_agg(key ORDER BY item) FROM chosen WHERE item <= ${sampleSize}) AS sample`,
    values,
  });
  return { count: row?.count ?? 0, sample: row?.sample ?? [] };
}

/** How many ids the statement yields, at most one too many, and the first of them. */
export async function countItems(
  reader: OwnerReader,
  tenantId: string,
  { text, values }: IdStatement,
): Promise<{ count: number; sample: number[] }> {
  const [row] = await queryOwner<{ count: number; sample: number[] | null }>(reader, tenantId, {
    text: `WITH chosen AS MATERIALIZED (SELECT id FROM (${text}) AS matching ORDER BY id LIMIT ${maxItems + 1})
      SELECT (SELECT count(*) FROM chosen) AS count, (SELECT jsonb_agg(id ORDER BY id) FROM (SELECT id FROM chosen ORDER BY id LIMIT ${sampleSize}) AS first) AS sample`,
    values,
  });
  return { count: row?.count ?? 0, sample: row?.sample ?? [] };
}

/** Takes up an action that no worker has; false where one has it, or it has ended. */
export async function takeBulkAction(tx: Tx, tenantId: string, id: number, lease: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    `UPDATE bulk_actions SET status = 'running', lease = $3, lease_until = ${leaseEnd}, started_at = coalesce(started_at, clock_timestamp())
     WHERE tenant_id = $1 AND id = $2 AND status IN ('queued', 'running') AND (lease_until IS NULL OR lease_until < clock_timestamp())`,
    [tenantId, id, lease],
  );
  return rowCount === 1;
}

/** An action in the hands of a worker. */
export interface HeldAction {
  tenantId: string;
  id: number;
  lease: string;
}

/** The next batch of an action, with what decides about it. */
export interface NextBatch {
  kind: BulkActionKind;
  given: unknown;
  position: number;
  /** Null when no batch is left. */
  items: number[] | null;
  attempts: number;
  cancelRequested: boolean;
  /** The roles of its user in the tenant by now; null for one who has not entered it since they are recorded. */
  roles: string[] | null;
  /** Whether the tenant is still of the organisation in which it was started; true for operators. */
  isTenant: boolean;
  actor: Actor;
}

/**
 * Locks an action and reads its next batch; undefined where another worker has taken it. The lock lasts as long as the transaction that
 * handles the batch: the batch and the position after it are committed together, so that no item is handled twice.
 */
export async function lockNextBatch(tx: Tx, { tenantId, id, lease }: HeldAction): Promise<NextBatch | undefined> {
  const { rows } = await tx.query<NextBatch>(
    `SELECT a.kind, a.given, a.position, to_jsonb(b.items) AS items, a.attempts, a.cancel_requested AS "cancelRequested",
       (SELECT to_jsonb(u.roles) FROM tenant_users u WHERE u.tenant_id = a.tenant_id AND u.user_id = a.actor_user_id) AS roles,
       a.tenant_id = '${ofOperators}' OR EXISTS (SELECT FROM tenants t WHERE t.id = a.tenant_id AND t.org_id = a.org_id) AS "isTenant",
       jsonb_build_object('orgId', a.org_id, 'tenantId', a.tenant_id, 'userId', a.actor_user_id, 'sub', a.actor_sub,
         'email', a.actor_email, 'channel', a.channel) AS actor
     FROM bulk_actions a LEFT JOIN bulk_action_batches b ON b.tenant_id = a.tenant_id AND b.action_id = a.id AND b.n = a.position
     WHERE a.tenant_id = $1 AND a.id = $2 AND a.lease = $3 AND a.status = 'running' FOR UPDATE OF a`,
    [tenantId, id, lease],
  );
  return rows[0];
}

/** The runs that a batch started, for the actions that name them. A run that was deferred has not changed since the action began. */
const startedRuns: Partial<Record<BulkActionKind, string>> = {
  retry_runs:
    'SELECT r.status, r.error, r.error_group_id FROM action, items JOIN runs r ON r.tenant_id = $1 AND r.id = items.id WHERE r.updated_at >= action.started_at',
  replay_dead_letters: `SELECT r.status, r.error, r.error_group_id FROM items JOIN dead_letters d ON d.tenant_id = $1 AND d.id = items.id
    JOIN runs r ON r.tenant_id = $1 AND r.id = d.replayed_run_id CROSS JOIN action WHERE r.updated_at >= action.started_at`,
};

/**
 * How the runs of the batch before the next one have ended; undefined where there is none to judge, no next one to hold back, or another
 * worker has the action.
 */
export async function readLastResult(
  reader: OwnerReader,
  { tenantId, id, lease }: HeldAction,
): Promise<BatchResult | undefined> {
  const [action] = await queryOwner<{ kind: BulkActionKind; position: number }>(reader, tenantId, {
    text: `SELECT kind, position FROM bulk_actions a WHERE tenant_id = $1 AND id = $2 AND lease = $3
      AND EXISTS (SELECT FROM bulk_action_batches b WHERE b.tenant_id = a.tenant_id AND b.action_id = a.id AND b.n = a.position)`,
    values: [tenantId, id, lease],
  });
  const runs = action && isAfterRampBatch(action.position) ? startedRuns[action.kind] : undefined;
  if (!action || runs === undefined) return undefined;
  const [result] = await queryOwner<BatchResult & Record<string, unknown>>(reader, tenantId, {
    text: `WITH items AS (
        SELECT item AS id FROM bulk_action_batches b CROSS JOIN unnest(b.items) AS item WHERE b.tenant_id = $1 AND b.action_id = $2 AND b.n = $3
          AND NOT EXISTS (SELECT FROM bulk_action_refusals f WHERE f.tenant_id = $1 AND f.action_id = $2 AND f.item = item)
      ), action AS (
        SELECT started_at FROM bulk_actions WHERE tenant_id = $1 AND id = $2
      ), started AS (${runs}), alike AS (
        SELECT count(*)::int AS count, min(left(error, 200)) AS error FROM started WHERE status = 'failed'
        GROUP BY error_group_id ORDER BY 1 DESC LIMIT 1
      )
      SELECT (SELECT count(*)::int FROM started) AS items,
        (SELECT count(*)::int FROM started WHERE status IN ('queued', 'running', 'waiting')) AS open,
        coalesce((SELECT count FROM alike), 0) AS "failedAlike", (SELECT error FROM alike) AS error`,
    values: [tenantId, id, action.position - 1],
  });
  return result;
}

/** Moves a locked action past a batch. Deferred items become its last batch. */
export async function recordBatch(
  tx: Tx,
  { tenantId, id }: HeldAction,
  { done, refused, deferred }: { done: number; refused: readonly RefusedItem[]; deferred: readonly number[] },
): Promise<void> {
  if (refused.length > 0) {
    const rows = refused.map(({ id: item, error }) => ({
      item,
      code: error.code,
      reason: error.message.slice(0, maxReasonChars),
    }));
    await tx.query(
      `INSERT INTO bulk_action_refusals (tenant_id, action_id, item, code, reason)
       SELECT $1, $2, item, code, reason FROM unnest($3::bigint[], $4::text[], $5::text[]) AS given(item, code, reason)`,
      [tenantId, id, ...toColumns(rows, 'item', 'code', 'reason')],
    );
  }
  if (deferred.length > 0) {
    await tx.query(
      `INSERT INTO bulk_action_batches (tenant_id, action_id, n, items)
       SELECT $1, $2, max(n) + 1, $3::bigint[] FROM bulk_action_batches WHERE tenant_id = $1 AND action_id = $2`,
      [tenantId, id, deferred],
    );
  }
  await tx.query(
    `UPDATE bulk_actions SET position = position + 1, done = done + $3, refused = refused + $4, attempts = 0, lease_until = ${leaseEnd}
     WHERE tenant_id = $1 AND id = $2`,
    [tenantId, id, done, refused.length],
  );
}

const maxReasonChars = 500;

/** Ends a locked action. What is left of one that stopped is kept, so that it can be continued. */
export async function endBulkAction(
  tx: Tx,
  { tenantId, id }: Pick<HeldAction, 'tenantId' | 'id'>,
  { status, error = null }: { status: BulkActionStatus; error?: string | null },
): Promise<void> {
  await tx.query(
    `UPDATE bulk_actions SET status = $3, error = $4, finished_at = clock_timestamp(), lease = NULL, lease_until = NULL
     WHERE tenant_id = $1 AND id = $2`,
    [tenantId, id, status, error],
  );
  if (status !== 'stopped')
    await tx.query('DELETE FROM bulk_action_batches WHERE tenant_id = $1 AND action_id = $2', [tenantId, id]);
}

/** Gives an action back after its batch failed, and returns how often that has happened at this batch; undefined where it was lost. */
export async function releaseFailed(tx: Tx, { tenantId, id, lease }: HeldAction): Promise<number | undefined> {
  const { rows } = await tx.query<{ attempts: number }>(
    `UPDATE bulk_actions SET attempts = attempts + 1, lease = NULL, lease_until = NULL
     WHERE tenant_id = $1 AND id = $2 AND lease = $3 AND status = 'running' RETURNING attempts`,
    [tenantId, id, lease],
  );
  return rows[0]?.attempts;
}

/** Locks an action and returns its state. */
export async function lockBulkAction(
  tx: Tx,
  tenantId: string,
  id: bigint,
): Promise<{ kind: BulkActionKind; status: BulkActionStatus } | undefined> {
  const { rows } = await tx.query<{ kind: BulkActionKind; status: BulkActionStatus }>(
    'SELECT kind, status FROM bulk_actions WHERE tenant_id = $1 AND id = $2 FOR UPDATE',
    [tenantId, id],
  );
  return rows[0];
}

export async function requestCancel(tx: Tx, tenantId: string, id: bigint): Promise<void> {
  await tx.query('UPDATE bulk_actions SET cancel_requested = true WHERE tenant_id = $1 AND id = $2', [tenantId, id]);
}

/** Queues a stopped action once more, as another user's. Runs from before are not judged again, and it is not cancelled by an earlier wish. */
export async function requeue(tx: Tx, actor: Actor, id: bigint): Promise<void> {
  await tx.query(
    `UPDATE bulk_actions SET status = 'queued', error = NULL, started_at = NULL, finished_at = NULL, attempts = 0, cancel_requested = false, org_id = $3, actor_user_id = $4,
       actor_sub = $5, actor_email = $6, channel = $7, announced_at = now()
     WHERE tenant_id = $1 AND id = $2`,
    [actor.tenantId, id, actor.orgId, actor.userId, actor.sub, actor.email, actor.channel],
  );
}

/** Actions of all tenants that no worker has, each to one caller in a few seconds. As the system. */
export async function claimUntaken(system: Pick<Tx, 'query'>): Promise<{ tenantId: string; bulkActionId: number }[]> {
  const { rows } = await system.query<{ tenantId: string; bulkActionId: number }>(
    `UPDATE bulk_actions SET announced_at = now() WHERE (tenant_id, id) IN (
       SELECT tenant_id, id FROM bulk_actions WHERE status IN ('queued', 'running') AND (lease_until IS NULL OR lease_until < now())
         AND announced_at < now() - interval '3 s' ORDER BY announced_at LIMIT 100 FOR UPDATE SKIP LOCKED
     ) RETURNING tenant_id AS "tenantId", id AS "bulkActionId"`,
  );
  return rows;
}

/** Days for which an action is kept after its end, with what it refused. */
const keptDays = 30;

/** Deletes a batch of old actions, and returns whether there may be more. As the system. */
export async function sweepBulkActions(system: Pick<Tx, 'query'>): Promise<boolean> {
  const { rowCount } = await system.query(
    `DELETE FROM bulk_actions WHERE (tenant_id, id) IN (
       SELECT tenant_id, id FROM bulk_actions WHERE finished_at < now() - make_interval(days => ${keptDays}) LIMIT 10 FOR UPDATE SKIP LOCKED
     )`,
  );
  return rowCount === 10;
}
