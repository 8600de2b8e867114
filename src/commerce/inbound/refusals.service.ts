import { type Batcher, createBatcher } from '#src/infra/postgres/batching/batcher.ts';
import type { Database } from '#src/infra/postgres/database.ts';
import { forEachTenant } from '#src/infra/postgres/tenant-scope.ts';
import type { Refused } from './refusals.inputs.ts';
import { countRefusals } from './refusals.store.ts';

/**
 * Counts refused calls by endpoint, reason and hour; those that arrive together share one statement. Details are kept only of the last one,
 * because anybody can send calls that are refused, and could fill the disk.
 */
export const createRefusalBatcher = (database: Database): Batcher<Refused, null> =>
  createBatcher({
    maxBatch: 1_000,
    concurrency: 1,
    patienceMs: 100,
    async write(refused) {
      const groups = [...Map.groupBy(refused, ({ endpoint, reason }) => `${endpoint}/${reason}`).values()];
      const counted = groups.map((group) => ({ ...(group.at(-1) as Refused), count: group.length }));
      await database.withTenantSql(null, (tx) =>
        forEachTenant(
          tx,
          counted,
          ({ tenantId }) => tenantId,
          async (scoped, own) => {
            await countRefusals(scoped, own);
            return own;
          },
        ),
      );
      return refused.map(() => null);
    },
  });
