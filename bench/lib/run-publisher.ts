import pg from 'pg';
import { notifyRuns } from '#src/automation/runs/run-notices.service.ts';
import { type NoticeRow, noticeColumns } from '#src/automation/runs/runs.store.ts';
import { declarations } from '#src/domains/domains.ts';
import { migrate } from '#src/infra/migrations/migrate.ts';
import { openDatabase } from '#src/infra/postgres/database.ts';

export const liveTenant = { orgId: 'bench', tenantId: 'bench-shop' } as const;

/** Creates one workflow and its queued runs in a new database; returns the workflow's id. */
export async function fillLiveRuns(databaseUrl: string, runs: number): Promise<number> {
  await migrate(databaseUrl, declarations.jobs);
  const { orgId, tenantId } = liveTenant;
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(`INSERT INTO orgs (id, name) VALUES ('${orgId}', 'Bench')`);
    await client.query(`INSERT INTO tenants (id, org_id, name) VALUES ('${tenantId}', '${orgId}', 'Bench')`);
    const { rows } = await client.query<{ id: string }>(
      `INSERT INTO workflows (tenant_id, name, blob, bundle_status, updated_at) VALUES ('${tenantId}', 'Orders to ERP', '{}', 'ready', now()) RETURNING id`,
    );
    const workflowId = Number(rows[0]?.id);
    await client.query(
      `INSERT INTO runs (tenant_id, workflow_id, bundle_id, revision, trigger_handle, trigger_type)
       SELECT '${tenantId}', $1, 1, 1, gen_random_uuid(), 'webhook' FROM generate_series(1, $2)`,
      [workflowId, runs],
    );
    return workflowId;
  } finally {
    await client.end();
  }
}

export interface RunPublisher {
  /** Changes runs, `perCommit` in each transaction, each with its notice. Resolves when all are committed. */
  publish(events: number, perCommit: number): Promise<void>;
  close(): Promise<void>;
}

/** Changes runs like an engine does: status and version in one statement, its notice after the commit. */
export async function openRunPublisher(databaseUrl: string): Promise<RunPublisher> {
  const database = openDatabase({ url: databaseUrl, poolSize: 1 });
  const { rows } = await database.system.query<{ id: number }>(`SELECT id FROM runs WHERE tenant_id = $1 ORDER BY id`, [
    liveTenant.tenantId,
  ]);
  const ids = rows.map(({ id }) => id);
  let next = 0;

  async function change(many: number): Promise<void> {
    const chosen = Array.from({ length: many }, () => ids[next++ % ids.length] as number);
    await database.withSystem(async (tx) => {
      const moved = await tx.query<NoticeRow>({
        name: 'move-runs',
        text: `UPDATE runs r SET status = CASE r.status WHEN 'running' THEN 'waiting' ELSE 'running' END, version = r.version + 1,
          started_at = coalesce(r.started_at, clock_timestamp()), updated_at = clock_timestamp()
          WHERE r.tenant_id = $1 AND r.id = ANY($2::bigint[]) RETURNING ${noticeColumns}`,
        values: [liveTenant.tenantId, chosen],
      });
      notifyRuns(tx, moved.rows);
    });
    // As many notices as commits, like an engine whose commits are further apart.
    await database.notices.flushed();
  }

  return {
    async publish(events, perCommit) {
      for (let left = events; left > 0; left -= perCommit) await change(Math.min(perCommit, left));
    },
    close: () => database.close(),
  };
}
