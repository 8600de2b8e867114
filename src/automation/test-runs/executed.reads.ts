import type { Database } from '#src/infra/postgres/database.ts';

/** What a run executes. */
export interface Executed {
  /** Null once its bundle was deleted. */
  blob: unknown;
  /** By the path of their node, as in a draft. */
  pins: Record<string, unknown>;
}

/** By run id. */
export async function readExecuted(
  database: Database,
  tenantId: string,
  runIds: readonly number[],
): Promise<Map<number, Executed>> {
  const rows = await database.tenantQuery<Executed & { id: number } & Record<string, unknown>>(tenantId, {
    name: 'run-executed',
    text: `
      SELECT r.id, b.content->'blob' AS blob, coalesce(p.pins, '{}') AS pins
      FROM runs r
      LEFT JOIN workflow_bundles b ON b.tenant_id = r.tenant_id AND b.id = r.bundle_id
      LEFT JOIN LATERAL (
        SELECT jsonb_object_agg(o.path, CASE o.branch WHEN 'default' THEN o.outputs
          ELSE o.outputs || jsonb_build_object('$branch', o.branch) END) AS pins
        FROM test_run_outputs o WHERE o.tenant_id = r.tenant_id AND o.run_id = r.id AND o.origin = 'pinned'
      ) AS p ON true
      WHERE r.tenant_id = $1 AND r.id = ANY($2::bigint[])`,
    values: [tenantId, runIds],
  });
  return new Map(rows.map(({ id, blob, pins }) => [id, { blob, pins }]));
}
