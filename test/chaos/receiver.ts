import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** An ERP that remembers when each key reached it. */
export interface Receiver {
  url: string;
  /** `host:port`, for EGRESS_ALLOW. */
  address: string;
  /** Epoch milliseconds of the calls with each key. */
  calls: Map<string, number[]>;
  /** For calls from now on. */
  latencyMs: number;
  /** Calls that were answered. */
  answered: number;
  close(): Promise<void>;
}

/** Answers `POST /<key>` after `latencyMs`, as real systems take their time. */
export async function startReceiver({ latencyMs = 10 }: { latencyMs?: number } = {}): Promise<Receiver> {
  const calls = new Map<string, number[]>();
  const server = createServer((request, response) => {
    const key = decodeURIComponent((request.url ?? '/').slice(1));
    calls.set(key, [...(calls.get(key) ?? []), Date.now()]);
    request.resume();
    void delay(receiver.latencyMs, undefined, { ref: false }).then(() => {
      receiver.answered += 1;
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ ok: true }));
    });
  });
  // A worker that was stopped for a while returns to open connections: one closed meanwhile would fail the step that uses it.
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}`,
    address: `127.0.0.1:${port}`,
    calls,
    latencyMs,
    answered: 0,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return receiver;
}
