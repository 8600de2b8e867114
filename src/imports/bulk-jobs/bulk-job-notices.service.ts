import { defineRowChannel } from '#src/infra/live/row-channel.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';

export const bulkJobsChannel = defineRowChannel('causeway_bulk_jobs');

export const notifyBulkJob = (tx: Tx, tenantId: string, id: number): void =>
  tx.notify(bulkJobsChannel.name, [[tenantId, id]]);
