import type { Tx } from '#src/infra/postgres/tx.ts';
import type { Audited } from './audited.ts';

/** How often an action was done in a tenant after a time, counted up to `most`; also on resources that have been deleted since. */
export async function countAudited<Resource extends Audited>(
  tx: Pick<Tx, 'query'>,
  tenantId: string,
  {
    resource,
    action,
    after,
    most,
  }: { resource: Resource; action: Resource['actions'][number]; after: Date; most: number },
): Promise<number> {
  const { rows } = await tx.query<{ done: number }>({
    name: 'count-audited',
    text: `SELECT count(*) FILTER (WHERE created_at > $4)::int AS done FROM (
        SELECT created_at FROM audit_entries WHERE tenant_id = $1 AND resource_type = $2 AND action = $3 ORDER BY id DESC LIMIT $5
      ) AS latest`,
    values: [tenantId, resource.type, action, after, most],
  });
  return rows[0]?.done ?? 0;
}
