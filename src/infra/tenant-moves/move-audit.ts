import type pg from 'pg';
import { actAsTenant } from './fence.ts';
import type { Manifest } from './manifest.ts';

/**
 * The steps of a move, as named in the tenant's audit log. The log moves with the tenant. The source writes `export` and `close`, and
 * `reopen` if the tenant stays. The target writes `import` when it opens the tenant, because the log must be empty until the archived rows
 * arrive.
 */
export interface MoveStep {
  action: 'export' | 'close' | 'reopen' | 'import';
  orgId: string;
  tenantId: string;
  metadata: { moveId: string; installation?: number; movesTo?: string };
}

/** Writes a step into the audit log, as a role that is allowed to. */
export type RecordMove = (client: pg.Client, step: MoveStep) => Promise<void>;

/** Writes a step of a move in the current transaction. */
export async function recordStep(
  client: pg.Client,
  record: RecordMove,
  action: MoveStep['action'],
  { org, tenant }: Pick<Manifest, 'org' | 'tenant'>,
  metadata: MoveStep['metadata'],
): Promise<void> {
  const step = { action, orgId: org.id, tenantId: tenant.id, metadata };
  await actAsTenant(client, tenant.id, () => record(client, step));
}
