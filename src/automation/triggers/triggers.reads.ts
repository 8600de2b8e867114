import type { OrderedList } from '#src/infra/postgres/lists/ordered-list.ts';
import { contains } from '#src/infra/postgres/lists/sql-parameters.ts';
import type { TriggerType } from './triggers.inputs.ts';

/** All given filters must match; one that is null or left out does not filter. */
export interface TriggerFilter {
  tenantId: string;
  type?: readonly TriggerType[] | null;
  active?: boolean | null;
  workflowId?: bigint | null;
  /** Part of its name or of its workflow's, or the handle. */
  search?: string | null;
}

/** Triggers of workflows that are not deleted. Ids are handed out in order of creation. */
export const triggerList: OrderedList<'CREATED_AT' | 'UPDATED_AT' | 'NAME', TriggerFilter> = {
  from: 'triggers t JOIN workflows w ON w.tenant_id = t.tenant_id AND w.id = t.workflow_id',
  id: { sql: 't.id', type: 'bigint' },
  orders: {
    CREATED_AT: [],
    UPDATED_AT: [{ sql: 't.updated_at', type: 'timestamptz' }],
    NAME: [{ sql: 't.name', type: 'text' }],
  },
  where({ tenantId, type, active, workflowId, search }, parameters) {
    const where = [`t.tenant_id = ${parameters.add(tenantId)}`, 'w.deleted_at IS NULL'];
    if (type?.length) where.push(`t.type = ANY(${parameters.add(type)}::trigger_type[])`);
    if (active != null) where.push(`t.active = ${parameters.add(active)}`);
    if (workflowId != null) where.push(`t.workflow_id = ${parameters.add(workflowId)}`);
    if (search) where.push(contains(['t.name', 'w.name', 't.handle::text'], search, parameters));
    return where;
  },
};
