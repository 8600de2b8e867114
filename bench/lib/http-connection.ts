import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { ResponseFramer } from './http-framing.ts';
import type { FramedResponse } from './http-framing.ts';

export interface ConnectionEvents {
  /** Called whenever the connection is free; undefined ends it. */
  nextRequest(): Buffer | undefined;
  /** `sentAt` is the process's `performance.now()` at sending. The body is valid only during the call. */
  answered(response: FramedResponse, sentAt: number): void;
  /** A request in progress was lost: `timeout`, `connection` or `framing`. */
  lost(kind: string, sentAt: number): void;
}

/** One buffer for all connections: reads are consumed before the next one, and a buffer for each read would cost more. */
const shared = Buffer.alloc(256 * 1024);

/** Sends one request after another on one keep-alive connection to loopback; resolves when the connection is closed. */
export function useConnection(port: number, timeoutMs: number, events: ConnectionEvents): Promise<void> {
  const framer = new ResponseFramer();
  const { promise, resolve } = Promise.withResolvers<void>();
  let sentAt: number | undefined;

  const send = (): void => {
    const request = events.nextRequest();
    if (request === undefined) {
      socket.end();
      return;
    }
    sentAt = performance.now();
    socket.write(request);
  };
  const lose = (kind: string): void => {
    if (sentAt !== undefined) events.lost(kind, sentAt);
    sentAt = undefined;
    socket.destroy();
  };
  const take = (response: FramedResponse): void => {
    if (sentAt === undefined) throw new Error('A response came that nothing had asked for.');
    events.answered(response, sentAt);
    sentAt = undefined;
    if (response.keepAlive) send();
    else socket.end();
  };
  const read = (length: number, into: Uint8Array): boolean => {
    try {
      framer.push(Buffer.from(into.buffer, into.byteOffset, length)).forEach(take);
    } catch {
      lose('framing');
    }
    return true;
  };

  const socket: Socket = connect({
    port,
    host: '127.0.0.1',
    noDelay: true,
    onread: { buffer: shared, callback: read },
  });
  socket.setTimeout(timeoutMs, () => lose('timeout'));
  socket.on('connect', send);
  socket.on('error', () => lose('connection'));
  socket.on('close', () => {
    lose('connection');
    resolve();
  });
  return promise;
}
