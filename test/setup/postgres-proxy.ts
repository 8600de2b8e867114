import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface PostgresProxy {
  port: number;
  /** Cuts every connection; later ones lead to this socket. */
  switchTo(socketPath: string): void;
  /** Leaves connections as they are; later ones lead to this socket. */
  leadTo(socketPath: string): void;
  /** Cuts every connection; later ones lead to where they led. */
  cut(): void;
  close(): Promise<void>;
}

/** Passes connections on to one unix socket, as a proxy of a cluster does to the server that it takes for the primary. */
export async function startPostgresProxy(first: string): Promise<PostgresProxy> {
  let target = first;
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(target);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(from);
      from.pipe(to);
      from.on('error', () => undefined);
      from.on('close', () => {
        open.delete(from);
        to.destroy();
      });
    }
  });
  const cut = (): void => {
    for (const socket of open) socket.destroy();
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    switchTo(socketPath) {
      target = socketPath;
      cut();
    },
    leadTo(socketPath) {
      target = socketPath;
    },
    cut,
    async close() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
