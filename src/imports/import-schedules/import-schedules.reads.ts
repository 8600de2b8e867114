import type { OrderedList } from '#src/infra/postgres/lists/ordered-list.ts';

export const importScheduleList: OrderedList<'CREATED_AT', { tenantId: string }> = {
  from: 'transfers',
  id: { sql: 'id', type: 'bigint' },
  orders: { CREATED_AT: [{ sql: 'created_at', type: 'timestamptz' }] },
  where: ({ tenantId }, parameters) => [`tenant_id = ${parameters.add(tenantId)}`, `direction = 'import'`],
};
