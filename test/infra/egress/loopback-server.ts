import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { parseAllowList } from '#src/infra/egress/allow-list.ts';
import { createEgress, type Egress, type EgressOptions } from '#src/infra/egress/egress.ts';

export interface LoopbackServer {
  port: number;
  url: string;
  /** Requests received, as `METHOD path`. */
  requests: string[];
  connections: number;
}

/** A real server on loopback, gone with the test. */
export const serve = async (handler: RequestListener, host = '127.0.0.1'): Promise<LoopbackServer> => {
  const served: LoopbackServer = { port: 0, url: '', requests: [], connections: 0 };
  const sockets = new Set<Socket>();
  const server: Server = createServer((request, response) => {
    served.requests.push(`${request.method} ${request.url}`);
    handler(request, response);
  });
  server.on('connection', (socket) => {
    served.connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
  });
  await new Promise<void>((listening) => server.listen(0, host, listening));
  served.port = (server.address() as AddressInfo).port;
  served.url = `http://${host.includes(':') ? `[${host}]` : host}:${served.port}`;
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((closed) => server.close(closed));
  });
  return served;
};

/** Egress that may call the named servers, closed with the test. */
export const egressTo = (servers: readonly LoopbackServer[], options: EgressOptions = {}): Egress => {
  const allow = parseAllowList(servers.map(({ url }) => url.replace('http://', '')).join(','));
  const egress = createEgress({ allow, ...options });
  onTestFinished(() => egress.close());
  return egress;
};
