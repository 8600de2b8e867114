import { type AddressInfo, createServer } from 'node:net';

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
