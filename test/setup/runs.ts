import { channels, notifyRuns } from '#src/automation/runs/run-notices.service.ts';
import { type NoticeRow, noticeColumns } from '#src/automation/runs/runs.store.ts';
import type { Deps } from '#src/infra/deps.ts';

/** Makes a workflow and a bundle in raw SQL; answers the workflow's id. */
export async function makeWorkflow({ database }: Deps, tenantId: string, name: string): Promise<number> {
  const { rows } = await database.system.query<{ workflow_id: number }>(
    `WITH w AS (INSERT INTO workflows (tenant_id, name, blob, updated_at) VALUES ($1, $2, '{}', now()) RETURNING tenant_id, id)
     INSERT INTO workflow_bundles (tenant_id, workflow_id, revision, content) SELECT tenant_id, id, 1, '{}' FROM w RETURNING workflow_id`,
    [tenantId, name],
  );
  return rows[0]?.workflow_id as number;
}

/** Makes a queued run and announces it, as an engine does, unless `silently`; answers its id. */
export async function makeRun(
  { database }: Deps,
  tenantId: string,
  workflowId: number,
  { silently = false } = {},
): Promise<number> {
  return database.withSystem(async (client) => {
    const { rows } = await client.query<NoticeRow>(
      `INSERT INTO runs AS r (tenant_id, workflow_id, bundle_id, revision, trigger_type)
       SELECT $1, $2, b.id, 1, 'manual' FROM workflow_bundles b WHERE b.tenant_id = $1 AND b.workflow_id = $2 RETURNING ${noticeColumns}`,
      [tenantId, workflowId],
    );
    if (!silently) notifyRuns(client, rows);
    return rows[0]?.id as number;
  });
}

/** Moves a run on and announces it in the same transaction; `silently` leaves the notice out, as if it had been lost. */
export async function moveRun(
  { database }: Deps,
  tenantId: string,
  runId: number,
  status: string,
  { error = null, silently = false }: { error?: string | null; silently?: boolean } = {},
): Promise<void> {
  await database.withSystem(async (client) => {
    const ended = ['succeeded', 'failed', 'cancelled'].includes(status);
    const { rows } = await client.query<NoticeRow>(
      `UPDATE runs r SET status = $3, version = version + 1, error = $4, started_at = coalesce(started_at, now()),
         completed_at = CASE WHEN $5 THEN now() END, updated_at = now() WHERE tenant_id = $1 AND id = $2 RETURNING ${noticeColumns}`,
      [tenantId, runId, status, error, ended],
    );
    if (!silently) notifyRuns(client, rows);
  });
}

/** Stores log lines of a run and announces them. */
export async function logLines({ database }: Deps, tenantId: string, runId: number, messages: string[]): Promise<void> {
  await database.withSystem(async (client) => {
    await client.query(
      `INSERT INTO run_log_lines (tenant_id, run_id, step_path, attempt, level, message, at)
       SELECT $1, $2, 'map', 1, 'info', message, now() FROM unnest($3::text[]) WITH ORDINALITY AS m(message, ord) ORDER BY ord`,
      [tenantId, runId, messages],
    );
    client.notify(channels.logs, [[tenantId, runId]]);
  });
}
