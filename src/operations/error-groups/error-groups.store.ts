import type { Tx } from '#src/infra/postgres/tx.ts';
import { rolesFor } from '#src/infra/roles.ts';
import type { ErrorGroupStatus } from './error-groups.rules.ts';

/** Sets the status of a group; returns false if the tenant has no such group. */
export async function setGroupStatus(
  tx: Tx,
  tenantId: string,
  id: string,
  { status, mutedUntil = null }: { status: ErrorGroupStatus; mutedUntil?: Date | null },
): Promise<boolean> {
  const { rowCount } = await tx.query(
    'UPDATE error_groups SET status = $3, muted_until = $4 WHERE tenant_id = $1 AND id = $2',
    [tenantId, id, status, mutedUntil],
  );
  return rowCount === 1;
}

/** Assigns a group to a user with a role in the tenant, or to nobody, if both are there. */
export async function setAssignee(
  tx: Tx,
  tenantId: string,
  id: string,
  userId: number | null,
): Promise<{ isGroup: boolean; isUser: boolean }> {
  const { rowCount } = await tx.query(
    'SELECT FROM tenant_users WHERE tenant_id = $1 AND user_id = $2 AND roles && $3',
    [tenantId, userId, rolesFor.member],
  );
  const isUser = userId === null || rowCount === 1;
  if (!isUser) return { isGroup: true, isUser };
  const changed = await tx.query('UPDATE error_groups SET assignee_id = $3 WHERE tenant_id = $1 AND id = $2', [
    tenantId,
    id,
    userId,
  ]);
  return { isGroup: changed.rowCount === 1, isUser };
}

/** Days for which a group without items is kept after its last failure. */
const keptDays = 90;
const batchSize = 500;

const hasItems = (table: string): string =>
  `EXISTS (SELECT FROM ${table} i WHERE i.tenant_id = g.tenant_id AND i.error_group_id = g.id)`;

/**
 * Deletes a batch of old groups without items, and returns whether there may be more. As the system. A failure at the same moment
 * would name a group that is gone; the next one like it makes the group again, under the same id.
 */
export async function sweepErrorGroups(system: Pick<Tx, 'query'>): Promise<boolean> {
  const { rowCount } = await system.query(
    `DELETE FROM error_groups WHERE (tenant_id, id) IN (
       SELECT g.tenant_id, g.id FROM error_groups g WHERE g.last_at < now() - make_interval(days => ${keptDays})
         AND NOT ${hasItems('runs')} AND NOT ${hasItems('dead_letters')} AND NOT ${hasItems('webhook_deliveries')}
       LIMIT ${batchSize} FOR UPDATE SKIP LOCKED
     )`,
  );
  return rowCount === batchSize;
}
