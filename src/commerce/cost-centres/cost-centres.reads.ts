import type { OrderedList } from '#src/infra/postgres/lists/ordered-list.ts';

export interface CostCentreFilter {
  tenantId: string;
  /** Null or absent: of every organization. */
  organizationId?: bigint | null;
}

export const costCentreList: OrderedList<'CODE' | 'CREATED_AT', CostCentreFilter> = {
  from: 'cost_centres',
  id: { sql: 'id', type: 'bigint' },
  orders: {
    CODE: [{ sql: 'code', type: 'text' }],
    CREATED_AT: [{ sql: 'created_at', type: 'timestamptz' }],
  },
  where({ tenantId, organizationId }, parameters) {
    const conditions = [`tenant_id = ${parameters.add(tenantId)}`];
    if (organizationId != null) conditions.push(`organization_id = ${parameters.add(organizationId)}`);
    return conditions;
  },
};
