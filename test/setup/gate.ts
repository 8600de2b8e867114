import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A port that leads to another, and can be shut as if nothing listened behind it. */
export interface Gate {
  port: number;
  leadTo(port: number): void;
  /** Cuts every connection, and each later one as soon as it is made. */
  shut(): void;
  open(): void;
  close(): Promise<void>;
}

export async function startGate(): Promise<Gate> {
  let target: number | undefined;
  let isShut = false;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    if (isShut || target === undefined) {
      client.destroy();
      return;
    }
    const upstream = connect(target, '127.0.0.1');
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.pipe(to);
      from.on('error', () => undefined);
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    leadTo(port) {
      target = port;
    },
    shut() {
      isShut = true;
      cut();
    },
    open() {
      isShut = false;
    },
    async close() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
