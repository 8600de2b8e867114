import { AppError } from '#src/infra/errors.ts';
import type { TenantTx } from '#src/infra/postgres/database.ts';
import { lockNamed } from '#src/infra/postgres/named-locks.ts';
import { stateLimits } from './state.inputs.ts';

export interface StateNamespace {
  namespace: string;
  entries: number;
  /** Of keys, and values as JSON text. */
  bytes: number;
  updatedAt: Date;
}

/**
 * Makes the row that a namespace's first entry needs, where it is not there. At the cap, namespaces that have held nothing for a while give way.
 * Throws UNPROCESSABLE when none does.
 */
export async function makeNamespace(tx: TenantTx, tenantId: string, namespace: string): Promise<void> {
  // One at a time for a tenant: two who both counted 99 must not both make one.
  await lockNamed(tx, `state/${tenantId}`);
  const where = { tenantId };
  if (await tx.stateNamespace.findFirst({ where: { tenantId, namespace }, select: { namespace: true } })) return;
  if ((await tx.stateNamespace.count({ where })) >= stateLimits.namespaces) {
    // Not one made for a first entry that is on its way, and not waiting for somebody who writes: he may wait for this row.
    const dropped = await tx.$executeRaw`
      DELETE FROM state_namespaces WHERE tenant_id = ${tenantId} AND namespace IN (
        SELECT namespace FROM state_namespaces WHERE tenant_id = ${tenantId} AND entries = 0 AND updated_at < now() - interval '1 minute' FOR UPDATE SKIP LOCKED)`;
    if (dropped === 0) throw tooManyNamespaces();
  }
  await tx.stateNamespace.create({ data: { tenantId, namespace }, select: { namespace: true } });
}

const tooManyNamespaces = (): AppError =>
  new AppError(
    'UNPROCESSABLE',
    `The tenant has ${stateLimits.namespaces} namespaces, which is the most; delete every entry of one first.`,
  );

/** Whether a workflow of the tenant declares the namespace, be it to read or to write. */
export async function isDeclared(tx: TenantTx, tenantId: string, namespace: string): Promise<boolean> {
  const [found] = await tx.$queryRaw<object[]>`
    SELECT 1 FROM workflows WHERE tenant_id = ${tenantId} AND deleted_at IS NULL
      AND blob->'state'->'namespaces' ? ${namespace} LIMIT 1`;
  return found !== undefined;
}
