import type pg from 'pg';
import { actAsTenant } from './fence.ts';
import type { Manifest } from './manifest.ts';

/**
 * A step of a move, as the tenant's audit log names it. The log moves with the tenant: the source writes `export` and `close`, and `reopen`
 * if the tenant stays; the target writes `import` when it opens the tenant, because no row of it may be there before those that arrive.
 */
export interface MoveStep {
  action: 'export' | 'close' | 'reopen' | 'import';
  orgId: string;
  tenantId: string;
  metadata: { moveId: string; installation?: number; movesTo?: string };
}

/** Writes a step into the audit log, as a role that may. */
export type RecordMove = (client: pg.Client, step: MoveStep) => Promise<void>;

/** Writes a step of a move in the present transaction. */
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
