import type { Prisma } from '#prisma/client.ts';
import type { Actor } from '#src/infra/deps.ts';
import type { TenantTx } from '#src/infra/postgres/database.ts';

export interface AuditRecord {
  action: 'create' | 'update' | 'delete' | 'run.started' | 'run.finished' | 'run.failed';
  resourceType: 'credential' | 'secret' | 'workflow' | 'trigger' | 'workflow_run' | 'retention' | 'state_entry';
  resourceId: bigint | number | string;
  metadata?: Prisma.InputJsonObject;
}

/** Writes to the audit trail inside the transaction of the change it tells of. */
export async function recordAudit(tx: TenantTx, actor: Actor, record: AuditRecord): Promise<void> {
  await tx.auditEntry.create({
    data: {
      orgId: actor.orgId,
      tenantId: actor.tenantId,
      actorSub: actor.sub,
      actorEmail: actor.email,
      viaSystem: actor.sub === null,
      channel: actor.channel,
      action: record.action,
      resourceType: record.resourceType,
      resourceId: String(record.resourceId),
      ...(record.metadata && { metadata: record.metadata }),
    },
    select: { id: true },
  });
}
