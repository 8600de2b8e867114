import { readId, readUuid } from '#src/infra/inputs.ts';
import { containing, type SqlParameters } from '#src/infra/postgres/lists/sql-parameters.ts';
import type { RunStatus } from './run-status.rules.ts';
import type { RunRow } from './runs.reads.ts';

/** All given filters must match; one that is null or left out does not filter. `since` and `until` hold `createdAt`, half open. */
export interface RunFilter {
  status?: readonly RunStatus[] | null;
  workflowId?: bigint | null;
  /** The trigger that fired; a deleted one matches nothing. */
  triggerId?: bigint | null;
  since?: Date | null;
  until?: Date | null;
  triggerType?: RunRow['triggerType'] | null;
  isTest?: boolean | null;
  /** The group of failures that failed runs belong to. */
  errorGroupId?: string | null;
  /** Part of the workflow's name or of the error text, or the run's id. */
  search?: string | null;
}

type GivenId = string | number | bigint | null;
type GivenFilter = Omit<RunFilter, 'workflowId' | 'triggerId'> & { workflowId?: GivenId; triggerId?: GivenId };

/** The filter of a request, whose workflow, trigger and group are named by a global id or one of REST. */
export const readRunFilter = ({ workflowId, triggerId, errorGroupId, ...filter }: GivenFilter = {}): RunFilter => ({
  ...filter,
  ...(workflowId != null && { workflowId: readId('Workflow', String(workflowId)) }),
  ...(triggerId != null && { triggerId: readId('Trigger', String(triggerId)) }),
  ...(errorGroupId != null && { errorGroupId: readUuid('ErrorGroup', errorGroupId) }),
});

/** Conditions on `runs` that hold for the tenant's runs within the filter, for a WHERE. */
export function runConditions(tenantId: string, filter: RunFilter, parameters: SqlParameters): string[] {
  const tenant = parameters.add(tenantId);
  const conditions = [`tenant_id = ${tenant}`];
  if (filter.workflowId != null) conditions.push(`workflow_id = ${parameters.add(filter.workflowId)}`);
  if (filter.triggerId != null) conditions.push(...triggerConditions(filter.triggerId, tenant, parameters));
  if (filter.status && filter.status.length > 0)
    conditions.push(`status = ANY(${parameters.add([...new Set(filter.status)])})`);
  if (filter.since) conditions.push(`created_at >= ${parameters.add(filter.since)}`);
  if (filter.until) conditions.push(`created_at < ${parameters.add(filter.until)}`);
  if (filter.triggerType != null) conditions.push(`trigger_type = ${parameters.add(filter.triggerType)}`);
  if (filter.isTest != null) conditions.push(filter.isTest ? 'is_test' : 'NOT is_test');
  if (filter.errorGroupId != null) conditions.push(`error_group_id = ${parameters.add(filter.errorGroupId)}`);
  if (filter.search) conditions.push(searchCondition(filter.search, tenant, parameters));
  return conditions;
}

/** Only the runs of the trigger's workflow are read: these have an index, which a write of a run need not pay for once more by trigger. */
function triggerConditions(triggerId: bigint, tenant: string, parameters: SqlParameters): string[] {
  const trigger = parameters.add(triggerId);
  return [
    `workflow_id = (SELECT workflow_id FROM triggers WHERE tenant_id = ${tenant} AND id = ${trigger})`,
    `trigger_id = ${trigger}`,
  ];
}

function searchCondition(search: string, tenant: string, parameters: SqlParameters): string {
  const pattern = containing(search, parameters);
  const named = `workflow_id = ANY(ARRAY(SELECT id FROM workflows WHERE tenant_id = ${tenant} AND name ILIKE ${pattern}))`;
  const id = /^\d{1,18}$/.test(search) ? ` OR id = ${parameters.add(search)}` : '';
  return `(error ILIKE ${pattern} OR ${named}${id})`;
}
