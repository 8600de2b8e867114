import type { Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { CommandError } from './command.ts';

/** Listens for a command and resolves with the port. If the port is taken, the error names it and the option that chooses another. */
export async function listenOn(server: Server, { port, host }: { port: number; host: string }): Promise<number> {
  // Browsers try ::1 first for localhost, and would show a server that listens only there instead of this one.
  if (host === '127.0.0.1' && port !== 0 && (await answers(port, '::1'))) throw taken(port);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(error.code === 'EADDRINUSE' ? taken(port) : new CommandError(cannotListen(port, host, error)));
    });
    server.listen(port, host, resolve);
  });
  server.removeAllListeners('error');
  return (server.address() as AddressInfo).port;
}

const taken = (port: number): CommandError =>
  new CommandError(
    `Port ${port} is in use, perhaps by this command in another terminal. Stop that, or choose another with --port (0 picks a free one).`,
  );

const cannotListen = (port: number, host: string, { message }: Error): string =>
  `Nothing can listen on port ${port} of ${host}: ${message}. Choose another with --port (0 picks a free one).`;

async function answers(port: number, host: string): Promise<boolean> {
  const socket = connect(port, host);
  const isThere = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
  });
  socket.destroy();
  return isThere;
}
