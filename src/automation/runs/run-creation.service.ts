import type { TriggerType } from '#prisma/enums.ts';
import type { RunDeps } from '#src/automation/runs/live/live-runs.service.ts';
import type { Actor } from '#src/infra/deps.ts';
import { storableJson } from '#src/infra/json.ts';
import { lockNamed } from '#src/infra/postgres/named-locks.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import { insertAuditSql } from '#src/journal/audit/audit.service.ts';
import { type NoticeRow, noticeColumns, notifyRuns } from './run-notices.service.ts';
import { executeRunJob } from './runs.jobs.ts';

/** A run to be made. What it runs is settled already: the bundle pins revision and node versions. */
export interface NewRun {
  actor: Actor;
  workflowId: number;
  bundleId: number;
  revision: number;
  triggerId: number | null;
  triggerHandle: string | null;
  triggerType: TriggerType;
  payload: unknown;
  /** The workflow's limit of runs at a time; a limited run is held until `dispatchHeld` lets it through. */
  concurrency: number | null;
  /** The step that waits for this run. */
  parent?: { runId: number; stepPath: string };
  /** How deep in workflows that start workflows; 0 when absent. */
  depth?: number;
  /** The run at the head of those that started one another; absent where this is the head. */
  rootRunId?: number;
  rerunOfId?: number;
}

const insertSql = `
  WITH input AS MATERIALIZED (
    SELECT *, nextval('runs_id_seq') AS id FROM unnest(
      $1::text[], $2::bigint[], $3::bigint[], $4::int[], $5::bigint[], $6::uuid[], $7::text[], $8::text[], $9::boolean[],
      $10::bigint[], $11::text[], $12::smallint[], $13::bigint[], $14::text[], $15::text[], $16::text[], $17::text[], $18::bigint[]
    ) WITH ORDINALITY AS t(tenant_id, workflow_id, bundle_id, revision, trigger_id, trigger_handle, trigger_type, payload, held,
      parent_run_id, parent_step_path, depth, rerun_of_id, org_id, actor_sub, actor_email, channel, root_run_id, ord)
  ), payloads AS (
    INSERT INTO run_payloads (tenant_id, run_id, payload) SELECT tenant_id, id, payload::jsonb FROM input
  ), entries AS (
    SELECT org_id, tenant_id, actor_sub, actor_email, channel, 'run.started' AS action, 'workflow_run' AS resource_type,
      id::text AS resource_id, jsonb_build_object('workflow_id', workflow_id, 'trigger_type', trigger_type) AS metadata FROM input
  ), audited AS (${insertAuditSql('entries')}
  )
  INSERT INTO runs AS r (tenant_id, id, workflow_id, bundle_id, revision, trigger_id, trigger_handle, trigger_type, held,
    parent_run_id, parent_step_path, depth, root_run_id, rerun_of_id)
  SELECT tenant_id, id, workflow_id, bundle_id, revision, trigger_id, trigger_handle, trigger_type, held,
    parent_run_id, parent_step_path, depth, root_run_id, rerun_of_id FROM input ORDER BY ord
  RETURNING ${noticeColumns}`;

/** A run that was stored and has not been announced yet. */
export interface MadeRun {
  run: NewRun;
  row: NoticeRow;
}

/**
 * Makes the runs of one tenant, their jobs and their audit entries in the caller's transaction, and answers their ids in order.
 * Payloads must be storable (`storableJson`); a ValidationError names `payload` where one is not.
 */
export async function insertRuns(client: Tx, deps: RunDeps, runs: NewRun[]): Promise<{ runId: number }[]> {
  const made = await storeRuns(client, runs);
  await queueRuns(client, deps, made);
  await dispatchLimited(client, deps, made);
  return made.map(({ row }) => ({ runId: row.id }));
}

/** The first part of it, a single statement: the runs and their audit entries. */
export async function storeRuns(client: Tx, runs: NewRun[]): Promise<MadeRun[]> {
  if (runs.length === 0) return [];
  const column = <T>(read: (run: NewRun) => T): T[] => runs.map(read);
  const { rows } = await client.query<NoticeRow>({
    name: 'insert-runs',
    text: insertSql,
    values: [
      column((run) => run.actor.tenantId),
      column((run) => run.workflowId),
      column((run) => run.bundleId),
      column((run) => run.revision),
      column((run) => run.triggerId),
      column((run) => run.triggerHandle),
      column((run) => run.triggerType),
      column((run) => storableJson(run.payload, 'payload')),
      column((run) => run.concurrency !== null),
      column((run) => run.parent?.runId ?? null),
      column((run) => run.parent?.stepPath ?? null),
      column((run) => run.depth ?? 0),
      column((run) => run.rerunOfId ?? null),
      column((run) => run.actor.orgId),
      column((run) => run.actor.sub),
      column((run) => run.actor.email),
      column((run) => run.actor.channel),
      column((run) => run.rootRunId ?? null),
    ],
  });
  return rows.map((row, index) => ({ row, run: runs[index] as NewRun }));
}

/** The second part: queues what no limit holds back, and tells of all. */
export async function queueRuns(client: Tx, deps: RunDeps, made: MadeRun[]): Promise<void> {
  const free = made.filter(({ run }) => run.concurrency === null);
  const queued = free.map(({ row }) => ({ tenantId: row.tenant_id, runId: row.id }));
  const rows = made.map(({ row }) => row);
  notifyRuns(client, rows);
  await enqueue(client, deps, queued, { areNew: true });
}

/** The third part: lets runs of limited workflows through, as far as there is room. */
export async function dispatchLimited(client: Tx, deps: RunDeps, made: MadeRun[]): Promise<void> {
  const limited = made.filter(({ run }) => run.concurrency !== null);
  const workflows = new Map(limited.map(({ row }) => [`${row.tenant_id}/${row.workflow_id}`, row]));
  // In one order for everybody, so that two transactions do not wait for each other's locks.
  for (const [, row] of [...workflows].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    await dispatchHeld(client, deps, row.tenant_id, row.workflow_id);
}

/**
 * Queues the runs for the engines and wakes them when the transaction commits. New runs are queued fairly between tenants;
 * those that were under way go on before their tenant's new ones.
 */
export async function enqueue(
  client: Tx,
  { jobs, fairness: stamps }: RunDeps,
  runs: { tenantId: string; runId: number; startAfter?: Date }[],
  { areNew = false }: { areNew?: boolean } = {},
): Promise<void> {
  if (runs.length === 0) return;
  const fairness = await stamps.read(client);
  await jobs.insert(
    executeRunJob,
    runs.map(({ tenantId, runId, startAfter }) => ({
      payload: { tenantId, runId },
      priority: areNew ? fairness.next(tenantId) : fairness.again(tenantId, startAfter),
      group: tenantId,
      ...(startAfter && { startAfter }),
    })),
    { tx: client },
  );
}

/**
 * Lets held runs of a workflow through, oldest first, up to its limit. Call it in every transaction that adds a run to a
 * limited workflow or ends one. The lock is the workflow's: two workers ending runs at once let through no run twice.
 */
export async function dispatchHeld(client: Tx, deps: RunDeps, tenantId: string, workflowId: number): Promise<void> {
  await lockNamed(client, `dispatch/${tenantId}/${workflowId}`);
  const { rows } = await client.query<{ id: number }>({
    name: 'dispatch-held',
    text: `
      WITH room AS (
        SELECT coalesce(w.concurrency, 1000000) - (
          SELECT count(*) FROM runs WHERE tenant_id = $1 AND workflow_id = $2 AND NOT held AND status IN ('queued', 'running', 'waiting')
        ) AS free FROM workflows w WHERE w.tenant_id = $1 AND w.id = $2
      )
      UPDATE runs SET held = false, updated_at = now() WHERE (tenant_id, id) IN (
        SELECT tenant_id, id FROM runs WHERE tenant_id = $1 AND workflow_id = $2 AND held AND status = 'queued'
        ORDER BY id LIMIT (SELECT greatest(0, least(free, 1000)) FROM room) FOR UPDATE
      ) RETURNING id`,
    values: [tenantId, workflowId],
  });
  await enqueue(
    client,
    deps,
    rows.map(({ id }) => ({ tenantId, runId: id })),
    { areNew: true },
  );
}
