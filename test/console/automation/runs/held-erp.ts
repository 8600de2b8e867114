import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** An ERP that refuses an order whose quantity is not a number, and takes every other. While it is held, it answers nothing. */
export interface HeldErp {
  url: string;
  /** `host:port`, for the allow-list of an engine. */
  address: string;
  /** The calls that were made so far. */
  calls: () => number;
  hold: () => void;
  release: () => void;
  close: () => Promise<void>;
}

export async function startHeldErp(): Promise<HeldErp> {
  let isHeld = false;
  let calls = 0;
  const held: (() => void)[] = [];
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { order, quantity } = (await json(request)) as { order: string; quantity: unknown };
    calls += 1;
    const isTaken = typeof quantity === 'number';
    const body = isTaken ? { number: `ERP-${order}` } : { message: 'quantity must be a number' };
    const answer = () =>
      response.writeHead(isTaken ? 200 : 422, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (isHeld) held.push(answer);
    else answer();
  };
  const server = createServer((request, response) => {
    take(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `http://${address}`,
    address,
    calls: () => calls,
    hold() {
      isHeld = true;
    },
    release() {
      isHeld = false;
      for (const answer of held.splice(0)) answer();
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
