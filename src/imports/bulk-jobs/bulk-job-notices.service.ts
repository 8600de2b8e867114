import type { Channel } from '#src/infra/live/pubsub-topic.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';

/** A job that changed; its row says how. */
type Changed = [tenantId: string, jobId: number];

export const bulkJobsChannel: Channel<Changed> = {
  name: 'causeway_bulk_jobs',
  parse(raw) {
    if (!Array.isArray(raw)) return undefined;
    const [tenantId, id] = raw as unknown[];
    return typeof tenantId === 'string' && Number.isSafeInteger(id) ? (raw as Changed) : undefined;
  },
  keys: ([tenantId, id]) => [`${tenantId}/${id}`],
};

export const notifyBulkJob = (tx: Tx, tenantId: string, id: number): void =>
  tx.notify(bulkJobsChannel.name, [[tenantId, id]]);
