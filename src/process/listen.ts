import type { Server } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';

/** Resolves with the port once the server listens. If the port is taken, the error names it and the variable that chooses another. */
export async function listen(
  server: Server,
  { host, port, variable }: { host: string; port: number; variable: 'PORT' | 'METRICS_PORT' },
): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE') return reject(error);
      const message = `Port ${port} of ${host} is in use. Stop what listens there, or set ${variable} to another one (0 picks a free one).`;
      reject(new Error(message, { cause: error }));
    });
    server.listen(port, host, () => {
      server.removeAllListeners('error');
      resolve();
    });
  });
  return (server.address() as AddressInfo).port;
}

/** `port`, or any free one for 0, if it is free now. */
export const freePort = (host: string, port: number): Promise<number | undefined> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen(port, host, () => {
      const { port: found } = server.address() as AddressInfo;
      server.close(() => resolve(found));
    });
  });
