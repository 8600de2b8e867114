import type { Prisma } from '#prisma/client.ts';
import type { Actor } from '#src/infra/deps.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import type { Audited } from './audited.ts';

export interface AuditRecord<Resource extends Audited = Audited> {
  resource: Resource;
  action: Resource['actions'][number];
  resourceId: bigint | number | string;
  metadata?: Prisma.InputJsonObject;
}

/**
 * The statement that writes the entries of `source`, a table expression with the columns org_id, tenant_id, actor_sub, actor_email,
 * channel, action, resource_type, resource_id and metadata. A statement that changes many rows takes it as one of its CTEs, so
 * that their entries cost no round trip; all other callers use `recordAudit`.
 */
export const insertAuditSql = (source: string): string => `
  INSERT INTO audit_entries
    (org_id, tenant_id, actor_sub, actor_email, via_system, channel, action, resource_type, resource_id, metadata)
  SELECT org_id, tenant_id, actor_sub, actor_email, actor_sub IS NULL, channel, action, resource_type, resource_id, metadata
  FROM ${source}`;

const insertOne = insertAuditSql(`(VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9::jsonb))
  AS entry(org_id, tenant_id, actor_sub, actor_email, channel, action, resource_type, resource_id, metadata)`);

/** Writes an audit entry in the transaction of the change that it records. */
export async function recordAudit<Resource extends Audited>(
  tx: Tx,
  actor: Actor,
  record: AuditRecord<Resource>,
): Promise<void> {
  await tx.query({
    name: 'record-audit',
    text: insertOne,
    values: [
      actor.orgId,
      actor.tenantId,
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
