import { openSocket, type RawClient } from '#test/setup/live.ts';
import type { Target } from './traffic.ts';

/** Live views of all runs and all deliveries at one API, which note when each event came. */
export interface Views {
  api: number;
  runs: number[];
  deliveries: number[];
  isOpen(): boolean;
  close(): void;
}

export async function openViews({ url, admin }: Target, api: number): Promise<Views> {
  const client: RawClient = await openSocket(`${url.replace('http', 'ws')}/graphql`);
  client.send({ type: 'connection_init', payload: admin });
  await client.until((messages) => messages.some(({ type }) => type === 'connection_ack'));
  const views: Views = {
    api,
    runs: [],
    deliveries: [],
    isOpen: () => client.socket.readyState === client.socket.OPEN,
    close: () => client.socket.terminate(),
  };
  client.socket.on('message', () => {
    // Messages are counted here and not kept.
    for (const { id, type } of client.messages.splice(0)) {
      if (type === 'next') (id === 'runs' ? views.runs : views.deliveries).push(Date.now());
    }
  });
  client.send({ id: 'runs', type: 'subscribe', payload: { query: 'subscription { runUpdated { id status } }' } });
  const deliveries = 'subscription { webhookDeliveryUpdated { id status } }';
  client.send({ id: 'deliveries', type: 'subscribe', payload: { query: deliveries } });
  return views;
}
