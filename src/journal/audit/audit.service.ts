import type { Prisma } from '#prisma/client.ts';
import type { Actor } from '#src/infra/deps.ts';
import type { TenantTx } from '#src/infra/postgres/database.ts';
import type { Audited } from './audited.ts';

export interface AuditRecord<Resource extends Audited = Audited> {
  resource: Resource;
  action: Resource['actions'][number];
  resourceId: bigint | number | string;
  metadata?: Prisma.InputJsonObject;
}

/** Writes to the audit trail inside the transaction of the change it tells of. */
export async function recordAudit<Resource extends Audited>(
  tx: TenantTx,
  actor: Actor,
  record: AuditRecord<Resource>,
): Promise<void> {
  await tx.auditEntry.create({
    data: {
      orgId: actor.orgId,
      tenantId: actor.tenantId,
      actorSub: actor.sub,
      actorEmail: actor.email,
      viaSystem: actor.sub === null,
      channel: actor.channel,
      action: record.action,
      resourceType: record.resource.type,
      resourceId: String(record.resourceId),
      ...(record.metadata && { metadata: record.metadata }),
    },
    select: { id: true },
  });
}
