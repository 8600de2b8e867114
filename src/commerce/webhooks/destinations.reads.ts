import type { OrderedList } from '#src/infra/postgres/lists/ordered-list.ts';

export const destinationList: OrderedList<'CREATED_AT' | 'NAME', { tenantId: string }> = {
  from: 'webhook_destinations',
  id: { sql: 'id', type: 'bigint' },
  orders: {
    CREATED_AT: [{ sql: 'created_at', type: 'timestamptz' }],
    NAME: [{ sql: 'name', type: 'text' }],
  },
  where: ({ tenantId }, parameters) => [`tenant_id = ${parameters.add(tenantId)}`],
};
