import type { IncomingMessage } from 'node:http';

const lingerMs = 2_000;

/**
 * A body that was refused before its end is still being sent. It is read for a while, so that the client receives the response, then the
 * connection is closed.
 */
export function drainBody(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return;
  request.resume();
  setTimeout(() => request.complete || request.destroy(), lingerMs).unref();
}
