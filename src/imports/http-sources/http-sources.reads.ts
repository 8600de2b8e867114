import type { OrderedList } from '#src/infra/postgres/lists/ordered-list.ts';

export const httpSourceList: OrderedList<'NAME' | 'CREATED_AT', { tenantId: string }> = {
  from: 'http_sources',
  id: { sql: 'id', type: 'bigint' },
  orders: {
    NAME: [{ sql: 'name', type: 'text' }],
    CREATED_AT: [{ sql: 'created_at', type: 'timestamptz' }],
  },
  where: ({ tenantId }, parameters) => [`tenant_id = ${parameters.add(tenantId)}`],
};
