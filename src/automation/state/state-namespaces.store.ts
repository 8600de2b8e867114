import { AppError } from '#src/infra/errors.ts';
import type { TenantTx } from '#src/infra/postgres/database.ts';
import { lockNamed } from '#src/infra/postgres/named-locks.ts';
import { stateLimits } from './state.inputs.ts';

export interface StateNamespace {
  namespace: string;
  entries: number;
  /** Keys, plus values as JSON text. */
  bytes: number;
  updatedAt: Date;
}

/**
 * Creates the row that a namespace's first entry needs, unless it exists. At the cap, namespaces that have been empty for a
 * while are dropped. Throws UNPROCESSABLE when there are none.
 */
export async function makeNamespace(tx: TenantTx, tenantId: string, namespace: string): Promise<void> {
  // One at a time per tenant: two callers that both counted 99 must not both create one.
  await lockNamed(tx, `state/${tenantId}`);
  const where = { tenantId };
  if (await tx.stateNamespace.findFirst({ where: { tenantId, namespace }, select: { namespace: true } })) return;
  if ((await tx.stateNamespace.count({ where })) >= stateLimits.namespaces) {
    // Spares a namespace just created for its first entry, and does not wait for a writer, who may be waiting for this row.
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
    `The tenant already has the maximum of ${stateLimits.namespaces} namespaces; delete every entry of one first.`,
  );

/** True when a workflow of the tenant declares the namespace, to read or to write. */
export async function isDeclared(tx: TenantTx, tenantId: string, namespace: string): Promise<boolean> {
  const [found] = await tx.$queryRaw<object[]>`
    SELECT 1 FROM workflows WHERE tenant_id = ${tenantId} AND deleted_at IS NULL
      AND blob->'state'->'namespaces' ? ${namespace} LIMIT 1`;
  return found !== undefined;
}
