import type { MisfirePolicy } from '#prisma/enums.ts';
import type { OrderedList } from '#src/infra/postgres/lists/ordered-list.ts';
import { contains } from '#src/infra/postgres/lists/sql-parameters.ts';

export interface ScheduleFilter {
  /** Part of the name of the workflow or of the trigger. */
  search?: string | null;
  workflowId?: bigint | null;
  active?: boolean | null;
  misfire?: readonly MisfirePolicy[] | null;
}

export const scheduleList: OrderedList<
  'CREATED_AT' | 'NEXT_FIRE_AT' | 'LAST_FIRED_AT',
  ScheduleFilter & { tenantId: string }
> = {
  from: 'schedules s',
  id: { sql: 's.trigger_id', type: 'bigint' },
  orders: {
    CREATED_AT: [],
    NEXT_FIRE_AT: [{ sql: 's.next_fire_at', type: 'timestamptz', nullable: true }],
    LAST_FIRED_AT: [{ sql: 's.last_fired_at', type: 'timestamptz', nullable: true }],
  },
  where({ tenantId, search, workflowId, active, misfire }, parameters) {
    const tenant = parameters.add(tenantId);
    const where = [`s.tenant_id = ${tenant}`];
    if (search)
      where.push(`s.trigger_id IN (${triggersNamed(tenant, contains(['t.name', 'w.name'], search, parameters))})`);
    if (workflowId != null) where.push(`s.workflow_id = ${parameters.add(workflowId)}`);
    if (active != null) where.push(`s.active = ${parameters.add(active)}`);
    if (misfire?.length) where.push(`s.misfire = ANY(${parameters.add(misfire)}::misfire_policy[])`);
    return where;
  },
};

const triggersNamed = (tenant: string, named: string): string =>
  `SELECT t.id FROM triggers t JOIN workflows w ON w.tenant_id = t.tenant_id AND w.id = t.workflow_id
    WHERE t.tenant_id = ${tenant} AND ${named}`;
