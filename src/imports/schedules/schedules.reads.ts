import type { Direction } from '#src/imports/transfers/transfers.inputs.ts';
import type { OrderedList } from '#src/infra/postgres/lists/ordered-list.ts';

export const scheduleList = (direction: Direction): OrderedList<'CREATED_AT', { tenantId: string }> => ({
  from: 'transfers',
  id: { sql: 'id', type: 'bigint' },
  orders: { CREATED_AT: [{ sql: 'created_at', type: 'timestamptz' }] },
  where: ({ tenantId }, parameters) => [`tenant_id = ${parameters.add(tenantId)}`, `direction = '${direction}'`],
});
