import type { OrderedList } from '#src/infra/postgres/ordered-list.ts';

export const priceListList: OrderedList<'CODE' | 'CREATED_AT' | 'UPDATED_AT', { tenantId: string }> = {
  from: 'price_lists',
  id: { sql: 'id', type: 'bigint' },
  orders: {
    CODE: [{ sql: 'code', type: 'text' }],
    CREATED_AT: [{ sql: 'created_at', type: 'timestamptz' }],
    UPDATED_AT: [{ sql: 'updated_at', type: 'timestamptz' }],
  },
  where: ({ tenantId }, parameters) => [`tenant_id = ${parameters.add(tenantId)}`],
};
