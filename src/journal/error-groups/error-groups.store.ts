import { toColumns } from '#src/infra/postgres/statements/columns.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import type { Fingerprint } from './error-fingerprint.rules.ts';

/** A failure that has just been written with the id of its group. */
export interface GroupedFailure extends Fingerprint {
  tenantId: string;
}

/** Muted and resolved groups are opened by a failure, but for a muted one before its time. */
const isReopened = `(g.status = 'resolved' OR g.status = 'muted' AND (g.muted_until IS NULL OR g.muted_until <= now()))`;

/**
 * Makes the groups of failures in the transaction that records these, and opens those that were muted or resolved. An open group is
 * locked by nobody: its row is written once a minute, by one of the failures, and the others pass over it.
 */
export async function joinErrorGroups(tx: Pick<Tx, 'query'>, failures: readonly GroupedFailure[]): Promise<void> {
  if (failures.length === 0) return;
  const groups = [...new Map(failures.map((failure) => [`${failure.tenantId}/${failure.id}`, failure])).values()];
  await tx.query({
    name: 'join-error-groups',
    text: `
      WITH given AS MATERIALIZED (
        SELECT * FROM unnest($1::text[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[]) AS t(tenant_id, id, kind, node, code, message)
      ), made AS (
        INSERT INTO error_groups (tenant_id, id, kind, node, code, message) SELECT * FROM given ORDER BY tenant_id, id
        ON CONFLICT (tenant_id, id) DO NOTHING
      ), reopened AS (
        UPDATE error_groups e SET status = 'open', muted_until = NULL, reopened_at = clock_timestamp(), last_at = clock_timestamp() FROM (
          SELECT g.tenant_id, g.id FROM given JOIN error_groups g USING (tenant_id, id) WHERE ${isReopened}
          ORDER BY g.tenant_id, g.id FOR NO KEY UPDATE OF g
        ) AS due WHERE e.tenant_id = due.tenant_id AND e.id = due.id
      )
      UPDATE error_groups e SET last_at = clock_timestamp() FROM (
        SELECT g.tenant_id, g.id FROM given JOIN error_groups g USING (tenant_id, id)
        WHERE g.last_at < now() - interval '1 min' AND NOT ${isReopened} FOR NO KEY UPDATE OF g SKIP LOCKED
      ) AS due WHERE e.tenant_id = due.tenant_id AND e.id = due.id`,
    values: toColumns(groups, 'tenantId', 'id', 'kind', 'node', 'code', 'message'),
  });
}
