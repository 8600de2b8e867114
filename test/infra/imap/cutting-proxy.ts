import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A connection to another server that ends where a test says. */
export async function startCuttingProxy(to: { host: string; port: number }) {
  /** Each connection ends before the first of these texts that the server sends, and removes it. */
  const cuts: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(to.port, to.host);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => [client, upstream].forEach((each) => each.destroy()));
    }
    client.pipe(upstream);
    upstream.on('data', (chunk: Buffer) => {
      const at = cuts[0] === undefined ? -1 : chunk.indexOf(cuts[0]);
      if (at >= 0) cuts.shift();
      // The end follows the data, as if the server had gone away.
      if (at >= 0) client.write(chunk.subarray(0, at), () => client.destroy());
      else client.write(chunk);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    cuts,
    port: (server.address() as AddressInfo).port,
    async close(): Promise<void> {
      for (const socket of sockets) socket.destroy();
      await new Promise((closed) => server.close(closed));
    },
  };
}
