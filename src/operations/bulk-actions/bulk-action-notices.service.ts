import { defineRowChannel } from '#src/infra/live/row-channel.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';

export const bulkActionsChannel = defineRowChannel('causeway_bulk_actions');

export const notifyBulkAction = (tx: Tx, tenantId: string, id: number): void =>
  tx.notify(bulkActionsChannel.name, [[tenantId, id]]);
