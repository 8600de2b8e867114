import type { Actor, Deps } from '#src/infra/deps.ts';
import { storableJson } from '#src/infra/json.ts';
import { notify } from '#src/infra/live/notices.ts';
import { lockNamed } from '#src/infra/postgres/named-locks.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import { insertAuditSql } from '#src/journal/audit/audit.service.ts';
import { stampsOf } from './engine/fairness.ts';
import { channels, type NoticeRow, noticeColumns, notifyRuns } from './run-notices.ts';
import { executeRunJob } from './runs.jobs.ts';

/** A run to be made. What it runs is settled already: the bundle pins revision and node versions. */
export interface NewRun {
  actor: Actor;
  workflowId: number;
  bundleId: number;
  revision: number;
  triggerId: number | null;
  triggerHandle: string | null;
  triggerType: string;
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

/**
 * Makes the runs, their jobs and their audit entries in the caller's transaction (as causeway_system), and answers their ids
 * in order. Payloads must be storable (`storableJson`); a ValidationError names `payload` where one is not.
 */
export async function insertRuns(client: Tx, { jobs }: Deps, runs: NewRun[]): Promise<{ runId: number }[]> {
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
  const free = rows.filter((_, index) => runs[index]?.concurrency === null);
  await enqueue(
    client,
    jobs,
    free.map(({ tenant_id, id }) => ({ tenantId: tenant_id, runId: id })),
    { areNew: true },
  );
  await notifyRuns(client, rows);
  const limited = new Map(
    runs.flatMap((run) =>
      run.concurrency === null ? [] : [[`${run.actor.tenantId}/${run.workflowId}`, run] as const],
    ),
  );
  for (const run of limited.values()) await dispatchHeld(client, jobs, run.actor.tenantId, run.workflowId);
  return rows.map(({ id }) => ({ runId: id }));
}

/**
 * Queues the runs for the engines and wakes them when the transaction commits. New runs are queued fairly between tenants;
 * those that were under way go on before their tenant's new ones.
 */
export async function enqueue(
  client: Tx,
  jobs: Deps['jobs'],
  runs: { tenantId: string; runId: number; startAfter?: Date }[],
  { areNew = false }: { areNew?: boolean } = {},
): Promise<void> {
  if (runs.length === 0) return;
  const fairness = await stampsOf(jobs).read(client);
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
  await notify(client, channels.queue, [1]);
}

/**
 * Lets held runs of a workflow through, oldest first, up to its limit. Call it in every transaction that adds a run to a
 * limited workflow or ends one. The lock is the workflow's: two workers ending runs at once let through no run twice.
 */
export async function dispatchHeld(
  client: Tx,
  jobs: Deps['jobs'],
  tenantId: string,
  workflowId: number,
): Promise<void> {
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
    jobs,
    rows.map(({ id }) => ({ tenantId, runId: id })),
    { areNew: true },
  );
}
