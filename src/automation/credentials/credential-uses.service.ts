import type { CredentialReference } from '#src/automation/blob/blob-nodes.rules.ts';
import type { TenantTx } from '#src/infra/postgres/database.ts';
import type { TenantReader } from '#src/infra/postgres/tenant-reader.ts';

/** A node, of a workflow that is not deleted, that names a credential in its config. */
export interface CredentialUse {
  workflowId: bigint;
  workflowName: string;
  /** Inside a loop, a path of ids: `each/send`. */
  nodeId: string;
  field: string;
}

const maxUses = 2_000;

/** Records which credentials a workflow's nodes name, in the transaction that changes its blob. */
export async function keepCredentialUses(
  tx: TenantTx,
  { tenantId, workflowId }: { tenantId: string; workflowId: bigint },
  references: readonly CredentialReference[],
): Promise<void> {
  await tx.credentialUse.deleteMany({ where: { tenantId, workflowId } });
  const data = references.map(({ nodeId, field, credentialId }) => ({
    tenantId,
    workflowId,
    nodeId,
    field,
    credentialId: BigInt(credentialId),
  }));
  if (data.length > 0) await tx.credentialUse.createMany({ data });
}

/** Where credentials are used, by credential; at most 2,000 uses in all. */
export async function credentialUses(
  db: Pick<TenantReader | TenantTx, 'credentialUse'>,
  tenantId: string,
  ids: readonly bigint[],
): Promise<Map<bigint, CredentialUse[]>> {
  const rows = await (db as TenantTx).credentialUse.findMany({
    where: { tenantId, credentialId: { in: [...ids] }, workflow: { deletedAt: null } },
    select: { credentialId: true, workflowId: true, nodeId: true, field: true, workflow: { select: { name: true } } },
    orderBy: [{ credentialId: 'asc' }, { workflowId: 'asc' }, { nodeId: 'asc' }],
    take: maxUses,
  });
  const uses = new Map<bigint, CredentialUse[]>();
  for (const { credentialId, workflow, ...use } of rows) {
    const found = uses.get(credentialId) ?? [];
    uses.set(credentialId, [...found, { ...use, workflowName: workflow.name }]);
  }
  return uses;
}
