import type { TestApp } from '#test/setup/app.ts';
import { makeWorkflow } from '#test/setup/runs.ts';

export interface RunOptions {
  tenant?: string;
  workflowId?: number;
  status?: string;
  /** Days since it was created, and since it ended if it did. */
  age: number;
  endedAge?: number;
  parent?: number;
  /** Steps and log lines. */
  details?: number;
  /** An explicit id. */
  id?: number;
  key?: string;
}

let names = 0;

/** Creates runs with steps, lines, payload and result as if days had passed, written directly into the tables. */
export function createHistory(api: TestApp) {
  const { system } = api.database;
  const workflows = new Map<string, number>();

  async function openWorkflow(tenant: string): Promise<number> {
    const known = workflows.get(tenant);
    if (known !== undefined) return known;
    names += 1;
    const id = await makeWorkflow(api.deps, tenant, `History ${names}`);
    workflows.set(tenant, id);
    return id;
  }

  async function run(options: RunOptions): Promise<number> {
    const { tenant = 'acme-shop', status = 'succeeded', age, endedAge = age, details = 2 } = options;
    const workflowId = options.workflowId ?? (await openWorkflow(tenant));
    const isOver = ['succeeded', 'failed', 'cancelled'].includes(status);
    const { rows } = await system.query<{ id: number }>(
      `WITH made AS (
         INSERT INTO runs (id, tenant_id, workflow_id, bundle_id, revision, trigger_type, status, parent_run_id, parent_step_path, created_at, started_at, completed_at)
         SELECT coalesce($8::bigint, nextval('runs_id_seq')), $1, $2, b.id, 1, 'manual', $3, $4::bigint, CASE WHEN $4::bigint IS NOT NULL THEN 'sub' END,
           now() - $5 * interval '1 day', now() - $5 * interval '1 day', CASE WHEN $6 THEN now() - $7 * interval '1 day' END
         FROM workflow_bundles b WHERE b.tenant_id = $1 AND b.workflow_id = $2 ORDER BY b.id LIMIT 1 RETURNING tenant_id, id, created_at
       ), payload AS (INSERT INTO run_payloads SELECT tenant_id, id, '{}' FROM made),
       result AS (INSERT INTO run_results SELECT tenant_id, id, '{}' FROM made WHERE $6),
       keyed AS (
         INSERT INTO run_keys (tenant_id, workflow_id, key, run_id, created_at) SELECT tenant_id, $2, $9::text, id, created_at FROM made WHERE $9::text IS NOT NULL
       ), step AS (
         INSERT INTO steps (tenant_id, run_id, path, attempt, node_id, status, started_at)
         SELECT tenant_id, id, 'step-' || n, 1, 'node', 'succeeded', created_at FROM made, generate_series(1, $10::int) AS n
       ), line AS (
         INSERT INTO run_log_lines (tenant_id, run_id, step_path, attempt, level, message, at)
         SELECT tenant_id, id, 'step-1', 1, 'info', 'x', created_at FROM made, generate_series(1, $10::int) AS n
       ) SELECT id FROM made`,
      [
        tenant,
        workflowId,
        status,
        options.parent ?? null,
        age,
        isOver,
        endedAge,
        options.id ?? null,
        options.key ?? null,
        details,
      ],
    );
    return rows[0]?.id as number;
  }

  /** The remaining rows of a run, by table. */
  async function left(runId: number): Promise<Record<string, number>> {
    const { rows } = await system.query(
      `SELECT (SELECT count(*) FROM runs WHERE id = $1) AS runs, (SELECT count(*) FROM steps WHERE run_id = $1) AS steps,
         (SELECT count(*) FROM run_log_lines WHERE run_id = $1) AS lines, (SELECT count(*) FROM run_payloads WHERE run_id = $1) AS payloads,
         (SELECT count(*) FROM run_results WHERE run_id = $1) AS results, (SELECT count(*) FROM run_keys WHERE run_id = $1) AS keys`,
      [runId],
    );
    return rows[0];
  }

  async function settings(tenant: string, days: Partial<Record<'run' | 'step' | 'log' | 'audit', number | null>>) {
    const at = (name: 'run' | 'step' | 'log' | 'audit') => (days[name] === undefined ? 3_650 : days[name]);
    await api.database.withTenant(tenant, async (tx) => {
      const data = { runDays: at('run'), stepDays: at('step'), logDays: at('log'), auditDays: at('audit') };
      await tx.retentionSettings.upsert({
        where: { tenantId: tenant },
        create: { tenantId: tenant, ...data },
        update: data,
      });
    });
  }

  async function letter(tenant: string, status: string, age: number): Promise<number> {
    const { rows } = await system.query<{ id: number }>(
      `WITH made AS (
         INSERT INTO dead_letters (tenant_id, workflow_id, trigger_id, source, trigger_handle, status, created_at, updated_at)
         VALUES ($1, $2, 1, 'webhook', gen_random_uuid(), $3, now() - $4 * interval '1 day', now() - $4 * interval '1 day') RETURNING tenant_id, id
       ), payload AS (INSERT INTO dead_letter_payloads SELECT tenant_id, id, '{}' FROM made) SELECT id FROM made`,
      [tenant, await openWorkflow(tenant), status, age],
    );
    return rows[0]?.id as number;
  }

  async function lettersLeft(ids: number[]): Promise<number[]> {
    const { rows } = await system.query<{ id: number }>(
      `SELECT l.id FROM dead_letters l JOIN dead_letter_payloads p ON p.tenant_id = l.tenant_id AND p.dead_letter_id = l.id
       WHERE l.id = ANY($1) ORDER BY l.id`,
      [ids],
    );
    const { rows: payloads } = await system.query(
      'SELECT count(*) AS count FROM dead_letter_payloads WHERE dead_letter_id = ANY($1)',
      [ids],
    );
    if (payloads[0].count !== rows.length)
      throw new Error('A payload stayed without its dead letter, or the other way round.');
    return rows.map(({ id }) => id);
  }

  return { run, left, settings, letter, lettersLeft, openWorkflow };
}

export const nothing = { runs: 0, steps: 0, lines: 0, payloads: 0, results: 0, keys: 0 };
