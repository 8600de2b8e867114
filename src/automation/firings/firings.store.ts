import type { BundleStatus, TriggerType } from '#prisma/enums.ts';
import { toColumns } from '#src/infra/postgres/statements/columns.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import { fingerprint } from '#src/journal/error-groups/error-fingerprint.rules.ts';
import { joinErrorGroups } from '#src/journal/error-groups/error-groups.store.ts';

/** Statements for a batch of up to 200 firings: each is one round trip, however many firings there are. */

export interface Target {
  tenant_id: string;
  handle: string;
  trigger_id: number;
  type: TriggerType;
  config: unknown;
  workflow_id: number;
  workflow_active: boolean;
  revision: number;
  bundle_id: number | null;
  bundle_status: BundleStatus;
  bundle_error: string | null;
  concurrency: number | null;
}

/** The active triggers with these handles, each with its workflow. */
export async function findTargets(tx: Tx, wanted: { tenantId: string; handle: string }[]): Promise<Target[]> {
  const { rows } = await tx.query<Target>({
    name: 'find-targets',
    text: `
      SELECT t.tenant_id, t.handle, t.id AS trigger_id, t.type, t.config, w.id AS workflow_id, w.active AS workflow_active,
        w.revision, w.bundle_id, w.bundle_status, w.bundle_error, w.concurrency
      FROM unnest($1::text[], $2::uuid[]) AS wanted(tenant_id, handle)
      JOIN triggers t ON t.tenant_id = wanted.tenant_id AND t.handle = wanted.handle AND t.active
      JOIN workflows w ON w.tenant_id = t.tenant_id AND w.id = t.workflow_id AND w.deleted_at IS NULL`,
    values: toColumns(wanted, 'tenantId', 'handle'),
  });
  return rows;
}

/** An idempotency key of a workflow. */
export interface RunKey {
  tenantId: string;
  workflowId: number;
  key: string;
}

/**
 * Claims the keys that are free, and returns their positions. Waits for a key that another transaction is claiming, so that
 * `findKeyedRuns` sees its run. Claimed in order, so that two batches with the same keys do not wait for each other.
 */
export async function claimRunKeys(tx: Tx, keys: RunKey[]): Promise<Set<number>> {
  const { rows } = await tx.query<{ ord: number }>({
    name: 'claim-run-keys',
    text: `
      WITH wanted AS (
        SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[]) WITH ORDINALITY AS t(tenant_id, workflow_id, key, ord)
      ), claimed AS (
        INSERT INTO run_keys (tenant_id, workflow_id, key, run_id)
        SELECT tenant_id, workflow_id, key, 0 FROM wanted ORDER BY tenant_id, workflow_id, key
        ON CONFLICT DO NOTHING RETURNING tenant_id, workflow_id, key
      )
      SELECT ord FROM claimed JOIN wanted USING (tenant_id, workflow_id, key)`,
    values: toColumns(keys, 'tenantId', 'workflowId', 'key'),
  });
  return new Set(rows.map(({ ord }) => ord - 1));
}

/** The runs that were started under keys claimed earlier, by the position of the key. */
export async function findKeyedRuns(tx: Tx, keys: RunKey[]): Promise<Map<number, number>> {
  const { rows } = await tx.query<{ ord: number; run_id: number }>({
    name: 'find-run-keys',
    text: `SELECT t.ord, k.run_id FROM unnest($1::text[], $2::bigint[], $3::text[]) WITH ORDINALITY AS t(tenant_id, workflow_id, key, ord)
      JOIN run_keys k USING (tenant_id, workflow_id, key)`,
    values: toColumns(keys, 'tenantId', 'workflowId', 'key'),
  });
  return new Map(rows.map(({ ord, run_id: runId }) => [ord - 1, runId]));
}

/** Records which run each claimed key started. */
export async function setKeyedRuns(tx: Tx, keys: (RunKey & { runId: number })[]): Promise<void> {
  await tx.query({
    name: 'name-run-keys',
    text: `UPDATE run_keys k SET run_id = t.run_id
      FROM unnest($1::text[], $2::bigint[], $3::text[], $4::bigint[]) AS t(tenant_id, workflow_id, key, run_id)
      WHERE k.tenant_id = t.tenant_id AND k.workflow_id = t.workflow_id AND k.key = t.key`,
    values: toColumns(keys, 'tenantId', 'workflowId', 'key', 'runId'),
  });
}

/** A firing to be kept as a dead letter. `payload` is storable JSON text. */
export interface CapturedFiring extends Pick<Target, 'tenant_id' | 'workflow_id' | 'trigger_id' | 'type' | 'handle'> {
  reason: string;
  payload: string;
  /** The event that fired the trigger, as dead_letters.event_id has it. */
  event_id: string | null;
  traceparent?: string;
  request_id?: string;
}

/** Stores dead letters with their payloads, and returns their ids in order. */
export async function insertDeadLetters(tx: Tx, captured: CapturedFiring[]): Promise<number[]> {
  const failures = captured.map(({ tenant_id: tenantId, type, reason }) => ({
    tenantId,
    ...fingerprint({ kind: 'dead_letter', node: `trigger:${type}`, code: 'NOT_STARTED', message: reason }),
  }));
  const { rows } = await tx.query<{ id: number }>({
    name: 'capture-dead-letters',
    text: `
      WITH input AS MATERIALIZED (
        SELECT *, nextval('dead_letters_id_seq') AS id
        FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[], $5::uuid[], $6::text[], $7::text[], $8::uuid[], $9::text[], $10::text[], $11::uuid[]) WITH ORDINALITY
          AS t(tenant_id, workflow_id, trigger_id, source, trigger_handle, reason, payload, event_id, traceparent, request_id, error_group_id, ord)
      ), payloads AS (
        INSERT INTO dead_letter_payloads (tenant_id, dead_letter_id, payload) SELECT tenant_id, id, payload::jsonb FROM input
      )
      INSERT INTO dead_letters (tenant_id, id, workflow_id, trigger_id, source, trigger_handle, reason, event_id, traceparent, request_id, error_group_id)
      SELECT tenant_id, id, workflow_id, trigger_id, source::trigger_type, trigger_handle, reason, event_id, traceparent, request_id, error_group_id FROM input ORDER BY ord
      RETURNING id`,
    values: [
      ...toColumns(
        captured,
        'tenant_id',
        'workflow_id',
        'trigger_id',
        'type',
        'handle',
        'reason',
        'payload',
        'event_id',
        'traceparent',
        'request_id',
      ),
      ...toColumns(failures, 'id'),
    ],
  });
  await joinErrorGroups(tx, failures);
  return rows.map(({ id }) => id);
}
