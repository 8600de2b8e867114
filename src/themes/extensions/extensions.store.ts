import type { Extension } from '#prisma/client.ts';
import type { SystemTx } from '#src/infra/postgres/database.ts';

export type OwnedExtension = Pick<
  Extension,
  'tenantId' | 'vendor' | 'name' | 'version' | 'title' | 'type' | 'status' | 'blocked' | 'reason'
> & { id: number; orgId: string };

/** Locks an extension until the transaction ends. Operators bypass the row-level security of its owner. */
export async function lockExtension(tx: SystemTx, id: bigint): Promise<OwnedExtension | undefined> {
  const { rows } = await tx.query<OwnedExtension>(
    `SELECT e.id, e.tenant_id AS "tenantId", t.org_id AS "orgId", e.vendor, e.name, e.version, e.title, e.type, e.status, e.blocked, e.reason
     FROM extensions e JOIN tenants t ON t.id = e.tenant_id WHERE e.id = $1 FOR UPDATE OF e`,
    [id],
  );
  return rows[0];
}

export async function setStatus(
  tx: SystemTx,
  { id, status, blocked, reason }: Pick<OwnedExtension, 'id' | 'status' | 'blocked' | 'reason'>,
): Promise<void> {
  await tx.query('UPDATE extensions SET status = $2::extension_status, blocked = $3, reason = $4 WHERE id = $1', [
    id,
    status,
    blocked,
    reason,
  ]);
}

/** The tenants that have a version installed or disabled. */
export async function tenantsWith(tx: SystemTx, id: number): Promise<string[]> {
  const { rows } = await tx.query<{ tenant_id: string }>(
    `SELECT tenant_id FROM extension_installations WHERE extension_id = $1 AND status <> 'uninstalled' ORDER BY tenant_id`,
    [id],
  );
  return rows.map(({ tenant_id }) => tenant_id);
}
