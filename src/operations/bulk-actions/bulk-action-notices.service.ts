import type { Channel } from '#src/infra/live/pubsub-topic.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';

/** An action that changed; its row says how. */
type Changed = [tenantId: string, actionId: number];

export const bulkActionsChannel: Channel<Changed> = {
  name: 'causeway_bulk_actions',
  parse(raw) {
    if (!Array.isArray(raw)) return undefined;
    const [tenantId, id] = raw as unknown[];
    return typeof tenantId === 'string' && Number.isSafeInteger(id) ? (raw as Changed) : undefined;
  },
  keys: ([tenantId, id]) => [`${tenantId}/${id}`],
};

export const notifyBulkAction = (tx: Tx, tenantId: string, id: number): void =>
  tx.notify(bulkActionsChannel.name, [[tenantId, id]]);
