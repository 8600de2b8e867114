import { readId, readUuid } from '#src/infra/inputs.ts';
import { containing, SqlParameters } from '#src/infra/postgres/lists/sql-parameters.ts';
import { toColumns } from '#src/infra/postgres/statements/columns.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import type { DeadLetterStatus } from './dead-letters.inputs.ts';
import type { ClaimedLetter, ReplayTrigger } from './dead-letters.store.ts';

/** All given filters must match. `since` and `until` hold `createdAt`, half open. */
export interface DeadLetterFilter {
  status?: readonly DeadLetterStatus[] | null;
  workflowId?: bigint | null;
  /** Also a trigger that is deleted. */
  triggerId?: bigint | null;
  since?: Date | null;
  until?: Date | null;
  errorGroupId?: string | null;
  /** Part of the reason or of the workflow's name. */
  search?: string | null;
}

type GivenId = string | number | bigint | null;
export type GivenFilter = Omit<DeadLetterFilter, 'workflowId' | 'triggerId'> & {
  workflowId?: GivenId;
  triggerId?: GivenId;
};

/** The filter of a request, whose workflow, trigger and group are named by a global id or one of REST. */
export const readDeadLetterFilter = ({
  workflowId,
  triggerId,
  errorGroupId,
  ...filter
}: GivenFilter = {}): DeadLetterFilter => ({
  ...filter,
  ...(workflowId != null && { workflowId: readId('Workflow', String(workflowId)) }),
  ...(triggerId != null && { triggerId: readId('Trigger', String(triggerId)) }),
  ...(errorGroupId != null && { errorGroupId: readUuid('ErrorGroup', errorGroupId) }),
});

/** Conditions on `dead_letters` that hold for the tenant's dead letters within the filter, for a WHERE. */
export function deadLetterConditions(
  tenantId: string,
  { status, workflowId, triggerId, since, until, errorGroupId, search }: DeadLetterFilter,
  parameters: SqlParameters,
): string[] {
  const tenant = parameters.add(tenantId);
  const where = [`tenant_id = ${tenant}`];
  if (status && status.length > 0) where.push(`status::text = ANY(${parameters.add(status)}::text[])`);
  if (workflowId != null) where.push(`workflow_id = ${parameters.add(workflowId)}`);
  if (triggerId != null) where.push(`trigger_id = ${parameters.add(triggerId)}`);
  if (since) where.push(`created_at >= ${parameters.add(since)}`);
  if (until) where.push(`created_at < ${parameters.add(until)}`);
  if (errorGroupId != null) where.push(`error_group_id = ${parameters.add(errorGroupId)}`);
  if (search) {
    const pattern = containing(search, parameters);
    const named = `SELECT id FROM workflows WHERE tenant_id = ${tenant} AND name ILIKE ${pattern}`;
    where.push(`(reason ILIKE ${pattern} OR workflow_id = ANY(ARRAY(${named})))`);
  }
  return where;
}

/** A statement that yields the ids of the pending dead letters within the filter. */
export function selectDeadLetters(tenantId: string, filter: DeadLetterFilter) {
  const parameters = new SqlParameters();
  const where = [...deadLetterConditions(tenantId, filter, parameters), `status = 'pending'`];
  return { text: `SELECT id FROM dead_letters WHERE ${where.join(' AND ')}`, values: parameters.values };
}

/** A dead letter with its workflow, and the trigger that a replay starts from. */
export interface LockedLetter extends Omit<ClaimedLetter, 'payload' | 'trigger_handle'> {
  id: number;
  status: DeadLetterStatus;
  trigger: ReplayTrigger | null;
}

/** Locks the dead letters that no other transaction has locked. */
export async function lockLetters(tx: Tx, tenantId: string, ids: readonly number[]): Promise<LockedLetter[]> {
  const { rows } = await tx.query<LockedLetter>(
    `SELECT d.id, d.status, d.workflow_id, d.event_id, d.traceparent, d.request_id, w.active, w.deleted_at IS NOT NULL AS deleted, w.revision, w.bundle_id, w.bundle_status,
       w.bundle_error, w.concurrency, (
         SELECT jsonb_build_object('id', t.id, 'handle', t.handle, 'type', t.type) FROM triggers t
         WHERE t.tenant_id = d.tenant_id AND t.workflow_id = d.workflow_id AND t.active
           AND (t.handle = d.trigger_handle OR t.type = 'manual')
         ORDER BY t.handle = d.trigger_handle DESC, t.id LIMIT 1
       ) AS trigger
     FROM dead_letters d JOIN workflows w ON w.tenant_id = d.tenant_id AND w.id = d.workflow_id
     WHERE d.tenant_id = $1 AND d.id = ANY($2::bigint[]) ORDER BY d.id FOR UPDATE OF d SKIP LOCKED`,
    [tenantId, ids],
  );
  return rows;
}

/** Which of these dead letters the tenant has, also those that are locked. */
export async function findExistingLetters(tx: Tx, tenantId: string, ids: readonly number[]): Promise<Set<number>> {
  const { rows } = await tx.query<{ id: number }>(
    'SELECT id FROM dead_letters WHERE tenant_id = $1 AND id = ANY($2::bigint[])',
    [tenantId, ids],
  );
  return new Set(rows.map(({ id }) => id));
}

/** The payloads of the first of these dead letters that have at most `maxBytes` together, and of at least one. */
export async function readLetterPayloads(
  tx: Tx,
  tenantId: string,
  ids: readonly number[],
  maxBytes: number,
): Promise<Map<number, unknown>> {
  const { rows } = await tx.query<{ id: number; payload: unknown }>(
    `SELECT id, payload FROM (
       SELECT given.id, p.payload, sum(coalesce(octet_length(p.payload::text), 0)) OVER (ORDER BY given.id ROWS UNBOUNDED PRECEDING EXCLUDE CURRENT ROW) AS before
       FROM unnest($2::bigint[]) AS given(id) LEFT JOIN dead_letter_payloads p ON p.tenant_id = $1 AND p.dead_letter_id = given.id
     ) AS read WHERE coalesce(before, 0) < $3`,
    [tenantId, ids, maxBytes],
  );
  return new Map(rows.map(({ id, payload }) => [id, payload ?? null]));
}

/** Takes locked dead letters out of `pending`; a replayed one names its run. */
export async function settleLetters(
  tx: Tx,
  tenantId: string,
  status: Exclude<DeadLetterStatus, 'pending'>,
  letters: readonly { id: number; runId?: number }[],
): Promise<void> {
  await tx.query(
    `UPDATE dead_letters d SET status = $2::dead_letter_status, replayed_run_id = given.run_id, updated_at = clock_timestamp()
     FROM unnest($3::bigint[], $4::bigint[]) AS given(id, run_id) WHERE d.tenant_id = $1 AND d.id = given.id`,
    [tenantId, status, ...toColumns(letters, 'id', 'runId')],
  );
}
