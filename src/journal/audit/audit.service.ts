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

const insertMany =
  insertAuditSql(`(SELECT $1::text AS org_id, $2::text AS tenant_id, $3::text AS actor_sub, $4::text AS actor_email,
  $5::text AS channel, $6::text AS action, $7::text AS resource_type, unnest($8::text[]) AS resource_id, $9::jsonb AS metadata) AS entries`);

/** Writes an audit entry for each of many resources that one transaction changed in the same way. */
export async function recordAudits<Resource extends Audited>(
  tx: Tx,
  actor: Actor,
  record: Omit<AuditRecord<Resource>, 'resourceId'>,
  resourceIds: readonly (bigint | number | string)[],
): Promise<void> {
  if (resourceIds.length === 0) return;
  await tx.query({
    name: 'record-audits',
    text: insertMany,
    values: [
      actor.orgId,
      actor.tenantId,
      actor.sub,
      actor.email,
      actor.channel,
      record.action,
      record.resource.type,
      resourceIds.map(String),
      record.metadata && JSON.stringify(record.metadata),
    ],
  });
}
