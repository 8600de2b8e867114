import { startPeer } from './peer.ts';
import { openSubscribers } from './ws-load.ts';

export interface DeliveryRate {
  readonly perSecond: number;
  readonly delivered: number;
  readonly elapsedMs: number;
  readonly messageBytes: number;
  /** Processor time of the counting side over the elapsed time; near 1 it measured itself. */
  readonly counterLoad: number;
}

/** The ten or so fields a live list of runs shows; the product's bench asks for the same. */
export const liveRunQuery = `subscription Live($workflowId: ID) {
  runUpdated(workflowId: $workflowId) {
    id databaseId status error triggerHandle triggerType startedAt completedAt createdAt updatedAt workflow { id name }
  }
}`;

/** Publishes `events` changes to `sockets` subscribers of the plain server. A message too few or too many throws. */
export async function measurePlainGraphqlWs(sockets: number, events: number): Promise<DeliveryRate> {
  const server = await startPeer('plain-graphql-ws.mjs');
  try {
    const subscribers = await openSubscribers({
      port: server.port,
      path: '/graphql',
      sockets,
      query: liveRunQuery,
      variables: { workflowId: 'V29ya2Zsb3c6Nw' },
    });
    try {
      // Two rounds: the first warms both sides up.
      await round(server.port, Math.ceil(events / 4));
      await subscribers.delivered(Math.ceil(events / 4), 60_000);
      await subscribers.reset(200);
      const startedAt = await round(server.port, events);
      const seen = await subscribers.delivered(events, 120_000);
      if (seen.errors > 0 || seen.fewest !== events || seen.most !== events) {
        throw new Error(
          `Each socket should have ${events} messages; they have ${seen.fewest} to ${seen.most}, ${seen.errors} of them errors.`,
        );
      }
      const elapsedMs = seen.lastAt - startedAt;
      const { delivered, cpuMs, sample } = seen;
      return {
        perSecond: (delivered / elapsedMs) * 1000,
        delivered,
        elapsedMs,
        messageBytes: sample.length,
        counterLoad: cpuMs / elapsedMs,
      };
    } finally {
      subscribers.stop();
    }
  } finally {
    await server.stop();
  }
}

async function round(port: number, events: number): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}/publish?events=${events}`, {
    method: 'POST',
    signal: AbortSignal.timeout(120_000),
  });
  const { startedAt } = (await response.json()) as { startedAt: number };
  return startedAt;
}
