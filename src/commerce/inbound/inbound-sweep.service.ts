import type { Deps } from '#src/infra/deps.ts';
import { tryLockNamed } from '#src/infra/postgres/named-locks.ts';
import { keptDays } from './calls.store.ts';

const batchSize = 5_000;

/**
 * Deletes a batch of the calls and refusals that are older than thirty days; returns whether there may be more. One process does it
 * at a time, because two would wait for each other.
 */
export const sweepInbound = ({ database }: Pick<Deps, 'database'>): Promise<boolean> =>
  database.withSystem(async (client) => {
    if (!(await tryLockNamed(client, 'inbound-sweep'))) return false;
    const deleted = [];
    for (const [table, column] of [
      ['inbound_calls', 'received_at'],
      ['inbound_refusals', 'hour'],
    ] as const) {
      const { rowCount } = await client.query(
        `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
           SELECT ctid FROM ${table} WHERE ${column} < now() - interval '${keptDays} days' ORDER BY ${column} LIMIT $1
         ))`,
        [batchSize],
      );
      deleted.push(rowCount ?? 0);
    }
    return deleted.includes(batchSize);
  });
