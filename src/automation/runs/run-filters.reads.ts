import { readId, readUuid } from '#src/infra/inputs.ts';
import { containing, type SqlParameters } from '#src/infra/postgres/lists/sql-parameters.ts';
import type { RunStatus } from './run-status.rules.ts';
import type { RunRow } from './runs.reads.ts';

/** All given filters must match; one that is null or left out does not filter. `since` and `until` hold `createdAt`, half open. */
export interface RunFilter {
  status?: readonly RunStatus[] | null;
  workflowId?: bigint | null;
  since?: Date | null;
  until?: Date | null;
  triggerType?: RunRow['triggerType'] | null;
  isTest?: boolean | null;
  /** The group of failures that failed runs belong to. */
  errorGroupId?: string | null;
  /** Part of the workflow's name or of the error text, or the run's id. */
  search?: string | null;
}

/** The filter of a request, whose workflow and group are named by a global id or one of REST. */
export const readRunFilter = ({
  workflowId,
  errorGroupId,
  ...filter
}: Omit<RunFilter, 'workflowId'> & { workflowId?: string | number | bigint | null } = {}): RunFilter => ({
  ...filter,
  ...(workflowId != null && { workflowId: readId('Workflow', String(workflowId)) }),
  ...(errorGroupId != null && { errorGroupId: readUuid('ErrorGroup', errorGroupId) }),
});

/** Conditions on `runs` that hold for the tenant's runs within the filter, for a WHERE. */
export function runConditions(tenantId: string, filter: RunFilter, parameters: SqlParameters): string[] {
  const tenant = parameters.add(tenantId);
  const conditions = [`tenant_id = ${tenant}`];
  if (filter.workflowId != null) conditions.push(`workflow_id = ${parameters.add(filter.workflowId)}`);
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

function searchCondition(search: string, tenant: string, parameters: SqlParameters): string {
  const pattern = containing(search, parameters);
  const named = `workflow_id = ANY(ARRAY(SELECT id FROM workflows WHERE tenant_id = ${tenant} AND name ILIKE ${pattern}))`;
  const id = /^\d{1,18}$/.test(search) ? ` OR id = ${parameters.add(search)}` : '';
  return `(error ILIKE ${pattern} OR ${named}${id})`;
}
