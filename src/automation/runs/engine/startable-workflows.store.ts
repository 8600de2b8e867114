import type { BundleStatus } from '#prisma/enums.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';

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
