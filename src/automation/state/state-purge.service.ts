import type { Deps } from '#src/infra/deps.ts';
import { tryLockNamed } from '#src/infra/postgres/named-locks.ts';

const batchSize = 1_000;

/**
 * Deletes expired entries, at most `maxBatches` of a thousand, each in its own transaction; returns how many. One process at
 * a time, since two would wait for each other's namespaces. Entries that are being written are left for the next time.
 */
export async function purgeExpiredState({ database }: Pick<Deps, 'database'>, maxBatches = 100): Promise<number> {
  let purged = 0;
  for (let batch = 0; batch < maxBatches; batch += 1) {
    const count = await database.withSystem(async (client) => {
      if (!(await tryLockNamed(client, 'state-purge'))) return 0;
      const { rowCount } = await client.query(purgeSql, [batchSize]);
      return rowCount ?? 0;
    });
    purged += count;
    if (count < batchSize) break;
  }
  return purged;
}

/** Exported for the test of its plan. */
export const purgeSql = `WITH x AS MATERIALIZED (
    SELECT tenant_id, namespace, key FROM state_entries WHERE expires_at <= now()
    ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED
  )
  DELETE FROM state_entries e USING x WHERE e.tenant_id = x.tenant_id AND e.namespace = x.namespace AND e.key = x.key`;
