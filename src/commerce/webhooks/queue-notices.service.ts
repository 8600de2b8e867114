import type { Channel } from '#src/infra/live/pubsub-topic.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';

type Queue = readonly [tenantId: string, destinationId: number];
/** A destination with something to send; with a third member, one whose settings have changed. */
export type QueueNotice = readonly [...Queue, changed?: 1];

export const queuesChannel: Channel<QueueNotice> = {
  name: 'causeway_webhook_queues',
  parse(raw) {
    if (!Array.isArray(raw)) return undefined;
    const [tenantId, id] = raw as unknown[];
    return typeof tenantId === 'string' && Number.isSafeInteger(id) ? (raw as unknown as QueueNotice) : undefined;
  },
  keys: () => ['sender'],
};

/** Wakes the senders once the transaction has committed. */
export const notifyQueues = (tx: Tx, queues: readonly Queue[]): void => tx.notify(queuesChannel.name, queues);

/** Makes the sender of a destination read its settings before it sends more. */
export const notifyChanged = (tx: Tx, tenantId: string, destinationId: bigint): void =>
  tx.notify(queuesChannel.name, [[tenantId, Number(destinationId), 1] satisfies QueueNotice]);
