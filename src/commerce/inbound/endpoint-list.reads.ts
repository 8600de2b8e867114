import type { OrderedList } from '#src/infra/postgres/ordered-list.ts';

export const endpointList: OrderedList<'CREATED_AT' | 'UPDATED_AT' | 'NAME', { tenantId: string }> = {
  from: 'inbound_endpoints',
  id: { sql: 'id', type: 'bigint' },
  orders: {
    CREATED_AT: [{ sql: 'created_at', type: 'timestamptz' }],
    UPDATED_AT: [{ sql: 'updated_at', type: 'timestamptz' }],
    NAME: [{ sql: 'name', type: 'text' }],
  },
  where: ({ tenantId }, parameters) => [`tenant_id = ${parameters.add(tenantId)}`],
};
