import type { WorkflowReference } from '#src/automation/blob/workflow-references.rules.ts';
import type { TenantTx } from '#src/infra/postgres/database.ts';

/**
 * Records which workflows a blob names, in the transaction that changes it. An index of expressions over the blobs would not do: under
 * row-level security Postgres uses none whose operators are not leakproof, and those of arrays and JSON are not.
 */
export async function keepWorkflowCalls(
  tx: TenantTx,
  { tenantId, workflowId }: { tenantId: string; workflowId: bigint },
  references: readonly WorkflowReference[],
): Promise<void> {
  await tx.workflowCall.deleteMany({ where: { tenantId, workflowId } });
  const data = references.map(({ nodeId, workflowId: calledId }) => ({
    tenantId,
    workflowId,
    nodeId: nodeId ?? '',
    calledId,
  }));
  if (data.length > 0) await tx.workflowCall.createMany({ data });
}
