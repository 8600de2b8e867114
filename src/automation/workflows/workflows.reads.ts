import type { BundleStatus } from '#prisma/enums.ts';
import type { OrderedList } from '#src/infra/postgres/lists/ordered-list.ts';
import { contains } from '#src/infra/postgres/lists/sql-parameters.ts';

export interface WorkflowFilter {
  /** Part of the name or the description. */
  search?: string | null;
  active?: boolean | null;
  bundleStatus?: readonly BundleStatus[] | null;
  updatedSince?: Date | null;
}

/** Workflows that are not deleted. Ids are handed out in order of creation. */
export const workflowList: OrderedList<'CREATED_AT' | 'UPDATED_AT' | 'NAME', WorkflowFilter & { tenantId: string }> = {
  from: 'workflows w',
  id: { sql: 'w.id', type: 'bigint' },
  orders: {
    CREATED_AT: [],
    UPDATED_AT: [{ sql: 'w.updated_at', type: 'timestamptz' }],
    NAME: [{ sql: 'w.name', type: 'text' }],
  },
  where({ tenantId, search, active, bundleStatus, updatedSince }, parameters) {
    const where = [`w.tenant_id = ${parameters.add(tenantId)}`, 'w.deleted_at IS NULL'];
    if (search) where.push(contains(['w.name', 'w.description'], search, parameters));
    if (active != null) where.push(`w.active = ${parameters.add(active)}`);
    if (bundleStatus?.length) where.push(`w.bundle_status = ANY(${parameters.add(bundleStatus)}::bundle_status[])`);
    if (updatedSince) where.push(`w.updated_at >= ${parameters.add(updatedSince)}`);
    return where;
  },
};
