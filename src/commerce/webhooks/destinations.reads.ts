import type { OrderedList } from '#src/infra/postgres/lists/ordered-list.ts';
import { contains } from '#src/infra/postgres/lists/sql-parameters.ts';
import type { destinationStatuses } from './destinations.inputs.ts';

/** All given filters must match; one that is null or left out does not filter. */
export interface DestinationFilter {
  tenantId: string;
  status?: (typeof destinationStatuses)[number] | null;
  /** Part of the name or the address. */
  search?: string | null;
}

export const destinationList: OrderedList<'CREATED_AT' | 'NAME', DestinationFilter> = {
  from: 'webhook_destinations',
  id: { sql: 'id', type: 'bigint' },
  orders: {
    CREATED_AT: [{ sql: 'created_at', type: 'timestamptz' }],
    NAME: [{ sql: 'name', type: 'text' }],
  },
  where({ tenantId, status, search }, parameters) {
    const where = [`tenant_id = ${parameters.add(tenantId)}`];
    if (status != null) where.push(`status = ${parameters.add(status)}`);
    if (search) where.push(contains(['name', 'url'], search, parameters));
    return where;
  },
};
