import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { epochMs } from './webhook-shop.ts';

export interface Arrivals {
  /** `127.0.0.1:<port>` */
  address: string;
  /** Resolves with the time of the first byte of the next call, in epoch milliseconds. */
  next(): Promise<number>;
  /** Milliseconds from `data.at` of each received event to its arrival. */
  latencies: number[];
  stop(): void;
}

/** Receives webhooks in this process, which compares their arrival with its own clock. */
export async function startArrivals(): Promise<Arrivals> {
  const latencies: number[] = [];
  let tell = (_at: number): void => undefined;
  const server = createServer((request, response) => {
    const at = epochMs();
    tell(at);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      response.end('ok');
      const { data } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { data?: { at?: number } };
      if (data?.at !== undefined) latencies.push(at - data.at);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    next: () =>
      new Promise((resolve) => {
        tell = resolve;
      }),
    latencies,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
