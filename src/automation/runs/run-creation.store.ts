import type { TriggerType, BundleStatus } from '#prisma/enums.ts';
import type { Actor } from '#src/infra/deps.ts';
import { storableJson } from '#src/infra/json.ts';
import { toColumns, rowsOfArrays } from '#src/infra/postgres/statements/columns.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import { writeCause } from '#src/infra/tracing/cause.ts';
import { insertAuditSql } from '#src/journal/audit/audit.store.ts';
import { type NoticeRow, noticeColumns } from './runs.store.ts';

/** A run to be created. Its bundle determines the revision and the node versions. */
export interface NewRun {
  actor: Actor;
  workflowId: number;
  bundleId: number;
  revision: number;
  triggerId: number | null;
  triggerHandle: string | null;
  triggerType: TriggerType;
  payload: unknown;
  /** The workflow's limit of concurrent runs; a run of a limited workflow is held until `dispatchHeld` queues it. */
  concurrency: number | null;
  /** The step that waits for this run. */
  parent?: { runId: number; stepPath: string };
  /** The number of runs above it in its chain; 0 when absent. */
  depth?: number;
  /** The run at the head of its chain; absent when this is the head. */
  rootRunId?: number;
  rerunOfId?: number;
  /** Tests a workflow; see runs.is_test. */
  isTest?: boolean;
  /** The event that it is about, where its trigger did not receive it as the payload. */
  eventId?: string | null;
}

const inputTypes = {
  tenant_id: 'text',
  workflow_id: 'bigint',
  bundle_id: 'bigint',
  revision: 'int',
  trigger_id: 'bigint',
  trigger_handle: 'uuid',
  trigger_type: 'text',
  payload: 'text',
  held: 'boolean',
  parent_run_id: 'bigint',
  parent_step_path: 'text',
  depth: 'smallint',
  rerun_of_id: 'bigint',
  org_id: 'text',
  actor_sub: 'text',
  actor_email: 'text',
  channel: 'text',
  root_run_id: 'bigint',
  is_test: 'boolean',
  started_by: 'text',
  event_id: 'uuid',
  traceparent: 'text',
  request_id: 'text',
};

// A run that another one started, or that is made again with other input, is about the event of that run.
const inheritedEvent = `SELECT origin.event_id FROM runs origin
      WHERE origin.tenant_id = input.tenant_id AND origin.id = coalesce(input.rerun_of_id, input.root_run_id)`;

// Ids are allocated in the order of the input.
const insertSql = `
  WITH input AS MATERIALIZED (
    SELECT *, nextval('runs_id_seq') AS id FROM ${rowsOfArrays(inputTypes)} AS given
  ), payloads AS (
    INSERT INTO run_payloads (tenant_id, run_id, payload) SELECT tenant_id, id, payload::jsonb FROM input
  ), entries AS (
    SELECT org_id, tenant_id, actor_sub, actor_email, channel, 'run.started' AS action, 'workflow_run' AS resource_type,
      id::text AS resource_id, jsonb_build_object('workflow_id', workflow_id, 'trigger_type', trigger_type)
        || CASE WHEN is_test THEN '{"test": true}'::jsonb ELSE '{}' END AS metadata FROM input
  ), audited AS (${insertAuditSql('entries')}
  )
  INSERT INTO runs AS r (tenant_id, id, workflow_id, bundle_id, revision, trigger_id, trigger_handle, trigger_type, held,
    parent_run_id, parent_step_path, depth, root_run_id, rerun_of_id, is_test, started_by, event_id, traceparent, request_id)
  SELECT tenant_id, id, workflow_id, bundle_id, revision, trigger_id, trigger_handle, trigger_type, held,
    parent_run_id, parent_step_path, depth, root_run_id, rerun_of_id, is_test, started_by, coalesce(event_id, (${inheritedEvent})),
    traceparent, request_id FROM input ORDER BY id
  RETURNING ${noticeColumns}`;

/** The caller of the API, as runs.started_by has it. */
const readStarter = ({ channel, userId, sub }: Actor): string | null => {
  if (channel !== 'api') return null;
  return userId === null ? sub : `user/${userId}`;
};

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The id of the event that a trigger of this type received as its payload; null where it received none. */
export function readEventId({ triggerType, payload }: Pick<NewRun, 'triggerType' | 'payload'>): string | null {
  if (triggerType !== 'event') return null;
  const id = (payload as { id?: unknown } | null)?.id;
  return typeof id === 'string' && uuid.test(id) ? id : null;
}

/** Inserts runs with their payloads and audit entries, in one statement, and returns the rows in order. */
export async function insertRunRows(tx: Tx, runs: NewRun[]): Promise<NoticeRow[]> {
  const rows = runs.map(({ actor, parent, ...run }) => ({
    ...actor,
    ...run,
    payload: storableJson(run.payload, 'payload'),
    held: run.concurrency !== null,
    parentRunId: parent?.runId,
    parentStepPath: parent?.stepPath,
    depth: run.depth ?? 0,
    isTest: run.isTest ?? false,
    startedBy: readStarter(actor),
    eventId: run.isTest ? null : (run.eventId ?? readEventId(run)),
    ...writeCause(actor),
  }));
  const inserted = await tx.query<NoticeRow>({
    name: 'insert-runs',
    text: insertSql,
    values: [
      ...toColumns(rows, 'tenantId', 'workflowId', 'bundleId', 'revision', 'triggerId', 'triggerHandle', 'triggerType'),
      ...toColumns(rows, 'payload', 'held', 'parentRunId', 'parentStepPath', 'depth', 'rerunOfId'),
      ...toColumns(rows, 'orgId', 'sub', 'email', 'channel', 'rootRunId', 'isTest', 'startedBy', 'eventId'),
      ...toColumns(rows, 'traceparent', 'request_id'),
    ],
  });
  return inserted.rows;
}

/** Lists test runs for retention. */
export async function insertTestRuns(tx: Tx, runs: readonly { tenantId: string; runId: number }[]): Promise<void> {
  await tx.query(
    'INSERT INTO test_runs (tenant_id, run_id) SELECT * FROM unnest($1::text[], $2::bigint[])',
    toColumns(runs, 'tenantId', 'runId'),
  );
}

/** Releases held runs of a workflow, oldest first, up to its limit, and returns their ids. Its lock must be held. */
export async function releaseHeld(tx: Tx, tenantId: string, workflowId: number): Promise<number[]> {
  const { rows } = await tx.query<{ id: number }>({
    name: 'dispatch-held',
    text: `
      WITH room AS (
        SELECT coalesce(w.concurrency, 1000000) - (
          SELECT count(*) FROM runs WHERE tenant_id = $1 AND workflow_id = $2 AND NOT held AND NOT is_test AND status IN ('queued', 'running', 'waiting')
        ) AS free FROM workflows w WHERE w.tenant_id = $1 AND w.id = $2
      )
      UPDATE runs SET held = false, updated_at = now() WHERE (tenant_id, id) IN (
        SELECT tenant_id, id FROM runs WHERE tenant_id = $1 AND workflow_id = $2 AND held AND status = 'queued'
        ORDER BY id LIMIT (SELECT greatest(0, least(free, 1000)) FROM room) FOR UPDATE
      ) RETURNING id`,
    values: [tenantId, workflowId],
  });
  return rows.map(({ id }) => id);
}

export interface StartableWorkflow {
  id: number;
  revision: number;
  active: boolean;
  bundle_id: number | null;
  bundle_status: BundleStatus;
  bundle_error: string | null;
  concurrency: number | null;
  trigger_id: number | null;
  handle: string | null;
}

/** A workflow that a run starts, with the oldest of its active manual triggers, in one round trip. */
export async function findStartable(tx: Tx, tenantId: string, id: number): Promise<StartableWorkflow | undefined> {
  const { rows } = await tx.query<StartableWorkflow>(
    `SELECT w.id, w.revision, w.active, w.bundle_id, w.bundle_status, w.bundle_error, w.concurrency, t.id AS trigger_id, t.handle
     FROM workflows w
     LEFT JOIN LATERAL (
       SELECT id, handle FROM triggers WHERE tenant_id = w.tenant_id AND workflow_id = w.id AND type = 'manual' AND active ORDER BY id LIMIT 1
     ) t ON true
     WHERE w.tenant_id = $1 AND w.id = $2 AND w.deleted_at IS NULL`,
    [tenantId, id],
  );
  return rows[0];
}
