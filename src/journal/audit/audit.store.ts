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
