import { z } from 'zod';
import { cursorSize } from '#rest/parameters.ts';
import { cursorFeed } from '#rest/replies.ts';
import { route } from '#rest/route.ts';

const tag = { name: 'Audit Log', description: 'What was done to what, and by whom.' };

const entryFields = `fragment AuditEntry on AuditEntry {
  id: databaseId org_id: orgId tenant_id: tenantId actor_sub: actorSub via_system: viaSystem channel action
  resource_type: resourceType resource_id: resourceId metadata created_at: createdAt
}`;
const pageFields = 'edges { node { ...AuditEntry } } next_cursor: nextCursor prev_cursor: prevCursor';

const narrowing = z.object({
  sub: z.string().optional().describe('Subject of the token that acted.'),
  resource_type: z.string().optional(),
  action: z.string().optional(),
});
const paging = z.object({
  limit: cursorSize,
  cursor: z.string().optional().describe("A page's next_cursor or prev_cursor, with the same filters."),
});
const adminNarrowing = narrowing.extend({
  org_id: z.string().optional(),
  tenant_id: z.string().optional(),
  email: z.string().optional().describe('Address in the token that acted, as it was then.'),
});

const toFilter = ({ sub, resource_type, action }: z.output<typeof narrowing>) => ({
  sub,
  resourceType: resource_type,
  action,
});

export const auditLogRoutes = [
  route({
    method: 'GET',
    path: '/audit-logs',
    name: 'listAuditLogs',
    tag,
    summary: "The tenant's audit log, newest first. All given filters must match.",
    document: `query ($filter: AuditLogFilter, $first: Int, $cursor: String) {
        auditLog(filter: $filter, first: $first, cursor: $cursor) { ${pageFields} }
      } ${entryFields}`,
    query: narrowing.extend(paging.shape),
    variables: ({ query }) => ({ filter: toFilter(query), first: query.limit, cursor: query.cursor }),
    reply: cursorFeed,
  }),
  route({
    method: 'GET',
    path: '/admin/audit-logs',
    name: 'listAllAuditLogs',
    tag,
    summary: 'The audit log of all tenants, newest first. All given filters must match.',
    document: `query ($filter: AdminAuditLogFilter, $first: Int, $cursor: String) {
        adminAuditLog(filter: $filter, first: $first, cursor: $cursor) { ${pageFields} }
      } ${entryFields}`,
    query: adminNarrowing.extend(paging.shape),
    variables: ({ query }) => ({
      filter: { ...toFilter(query), orgId: query.org_id, tenantId: query.tenant_id, email: query.email },
      first: query.limit,
      cursor: query.cursor,
    }),
    reply: cursorFeed,
  }),
];
