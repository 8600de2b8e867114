import type { BulkJobFilter } from '#src/imports/targets/import-deps.ts';
import type { OrderedList } from '#src/infra/postgres/lists/ordered-list.ts';

export const bulkJobList: OrderedList<'CREATED_AT', BulkJobFilter & { tenantId: string }> = {
  from: 'bulk_jobs',
  id: { sql: 'id', type: 'bigint' },
  orders: { CREATED_AT: [{ sql: 'created_at', type: 'timestamptz' }] },
  where({ tenantId, target, status, kind }, parameters) {
    const where = [`tenant_id = ${parameters.add(tenantId)}`];
    if (target != null) where.push(`target = ${parameters.add(target)}`);
    if (status?.length) where.push(`status = ANY(${parameters.add([...new Set(status)])})`);
    if (kind != null) where.push(`kind = ${parameters.add(kind)}`);
    return where;
  },
};
