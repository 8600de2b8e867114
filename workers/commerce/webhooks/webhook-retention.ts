import type { Deps } from '#src/infra/deps.ts';
import { inOneProcess } from '#src/infra/postgres/named-locks.ts';
import { sqlState } from '#src/infra/postgres/sql-errors.ts';
import { dropPassed, listPartitions, purgeDeliveries, purgePayloads } from './webhook-retention-statements.ts';

/**
 * Deletes the part of the webhook log that is older than 30 days: whole partitions, and rows of those that are still being
 * filled. Does nothing while another process does it.
 */
export async function sweepWebhooks({ database, log }: Deps, signal: AbortSignal): Promise<void> {
  await inOneProcess(database, 'webhook-retention', async () => {
    for (const family of ['webhook_deliveries', 'webhook_payloads'] as const) {
      for (const part of await listPartitions(database, family)) {
        const isDropped = await dropPassed(database, family, part).catch((error: unknown) => {
          // A reader has locked it; the next sweep tries again.
          if (sqlState(error) === '55P03') return false;
          throw error;
        });
        if (isDropped) log.info({ partition: `${family}_p${part}` }, 'A partition of old webhooks was dropped.');
      }
    }
    while (!signal.aborted && (await purgeDeliveries(database)));
    while (!signal.aborted && (await purgePayloads(database)));
  });
}
