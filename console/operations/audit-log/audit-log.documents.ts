import { rows } from '#console/graph/documents.ts';
import { graphql } from '#console/graph/graphql.ts';

export const AuditEntryRow = graphql(`
  fragment AuditEntryRow on AuditEntry {
    id action
    actor { kind name }
    channel createdAt metadata resourceId resourceType
    subject { __typename id }
  }
`);

export const AuditLog = rows('auditLog', AuditEntryRow);
