import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Resolves with the port once the server listens. A port that is taken is named, with the variable that chooses another. */
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
