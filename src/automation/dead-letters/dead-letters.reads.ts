import { literalPattern } from '#src/infra/postgres/lists/sql-parameters.ts';
import { type GivenFilter, readDeadLetterFilter } from './bulk-dead-letters.store.ts';

/** The filter of a request as Prisma takes it; bulk actions and followed lists have it in SQL. */
export function listConditions(tenantId: string, given: GivenFilter) {
  const { status, workflowId, triggerId, since, until, errorGroupId, search } = readDeadLetterFilter(given);
  const text = search ? { contains: literalPattern(search), mode: 'insensitive' as const } : undefined;
  return {
    tenantId,
    ...(status && status.length > 0 && { status: { in: [...status] } }),
    ...(workflowId != null && { workflowId }),
    ...(triggerId != null && { triggerId }),
    ...(errorGroupId != null && { errorGroupId }),
    ...((since || until) && { createdAt: { ...(since && { gte: since }), ...(until && { lt: until }) } }),
    ...(text && { OR: [{ reason: text }, { workflow: { name: text } }] }),
  };
}
