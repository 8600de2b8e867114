import type { Prisma } from '#prisma/client.ts';
import type { Actor, Principal } from '#src/infra/deps.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import { insertAuditSql } from './audit.store.ts';
import type { Audited } from './audited.ts';

export interface AuditRecord<Resource extends Audited = Audited> {
  resource: Resource;
  action: Resource['actions'][number];
  resourceId: bigint | number | string;
  metadata?: Prisma.InputJsonObject;
}

const insertOne = insertAuditSql(`(VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9::jsonb))
  AS entry(org_id, tenant_id, actor_sub, actor_email, channel, action, resource_type, resource_id, metadata)`);

/** Actions of an operator without a tenant are written to this log, which only operators read. */
const ofNoTenant = { orgId: '', tenantId: '' };

/** Writes an audit entry in the transaction of the change that it records. */
export async function recordAudit<Resource extends Audited>(
  tx: Tx,
  actor: Actor | Principal,
  record: AuditRecord<Resource>,
): Promise<void> {
  const { orgId, tenantId } = 'tenantId' in actor ? actor : ofNoTenant;
  await tx.query({
    name: 'record-audit',
    text: insertOne,
    values: [
      orgId,
      tenantId,
      actor.sub,
      actor.email,
      actor.channel,
      record.action,
      record.resource.type,
      String(record.resourceId),
      record.metadata && JSON.stringify(record.metadata),
    ],
  });
}
