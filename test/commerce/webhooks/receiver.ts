import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A delivery as it arrived. */
export interface Arrived {
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  event: { id: string; topic: string; data: Record<string, unknown> };
  at: number;
}

type Answer = (arrived: Arrived, response: ServerResponse, request: IncomingMessage) => void;

export interface Receiver {
  /** `http://127.0.0.1:<port>` */
  url: string;
  /** `host:port`, for the egress allow-list. */
  address: string;
  arrived: Arrived[];
  /** How it answers from now on; 200 at first. */
  answer: Answer;
  /** Resolves with what arrived at a path once there are so many. */
  until(path: string, count: number): Promise<Arrived[]>;
  close(): Promise<void>;
}

export const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  (_arrived, response) =>
    void response.writeHead(code, headers).end('ok');

/** A receiver of webhooks that keeps what arrives. */
export async function startReceiver(): Promise<Receiver> {
  const waiting = new Set<() => void>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const arrived: Arrived = {
        path: request.url ?? '/',
        headers: request.headers,
        body,
        event: JSON.parse(body.toString('utf8')) as Arrived['event'],
        at: Date.now(),
      };
      receiver.arrived.push(arrived);
      receiver.answer(arrived, response, request);
      for (const check of waiting) check();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}`,
    address: `127.0.0.1:${port}`,
    arrived: [],
    answer: status(200),
    until(path, count) {
      return new Promise((resolve) => {
        const check = (): void => {
          const own = receiver.arrived.filter((each) => each.path === path);
          if (own.length < count) return;
          waiting.delete(check);
          resolve(own);
        };
        waiting.add(check);
        check();
      });
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return receiver;
}
