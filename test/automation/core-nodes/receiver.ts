import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseAllowList } from '#src/infra/egress/allow-list.ts';
import { createEgress, type Egress } from '#src/infra/egress/egress.ts';

export interface Receiver {
  url: string;
  close: () => Promise<void>;
}

/** An HTTP server on loopback for all tests of a file; the handler gets each request with its body. */
export async function startReceiver(
  handle: (request: IncomingMessage, body: Buffer, response: ServerResponse) => void,
): Promise<Receiver> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => handle(request, Buffer.concat(chunks), response));
  });
  // A request on a connection that the server is closing would fail.
  server.keepAliveTimeout = 600_000;
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

export const egressToReceivers = (...receivers: Receiver[]): Egress =>
  createEgress({ allow: parseAllowList(receivers.map(({ url }) => new URL(url).host).join(',')) });
