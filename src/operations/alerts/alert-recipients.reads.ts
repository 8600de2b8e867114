import type { OrderedList } from '#src/infra/postgres/lists/ordered-list.ts';
import { contains } from '#src/infra/postgres/lists/sql-parameters.ts';

/** All given filters must match; one that is null or left out does not filter. */
export interface AlertRecipientFilter {
  tenantId: string;
  active?: boolean | null;
  /** Part of the name, of an address or of the URL. */
  search?: string | null;
}

export const alertRecipientList: OrderedList<'CREATED_AT' | 'NAME', AlertRecipientFilter> = {
  from: 'alert_recipients',
  id: { sql: 'id', type: 'bigint' },
  orders: {
    CREATED_AT: [{ sql: 'created_at', type: 'timestamptz' }],
    NAME: [{ sql: 'name', type: 'text' }],
  },
  where({ tenantId, active, search }, parameters) {
    const where = [`tenant_id = ${parameters.add(tenantId)}`];
    if (active != null) where.push(`active = ${parameters.add(active)}`);
    if (search) where.push(contains(['name', `coalesce(url, array_to_string(addresses, ' '))`], search, parameters));
    return where;
  },
};
