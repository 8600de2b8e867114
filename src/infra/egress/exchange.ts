import type { Dispatcher } from 'undici';
import { tooLarge } from './body.ts';

/** An answer as it came: its body is not decoded. */
export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

export interface Bounds {
  /** The `host:port` for messages. */
  where: string;
  /** Bytes of the body, as sent. */
  maxBytes: number;
  /** Whether a larger body is cut there, instead of refused. */
  isExcerpt: boolean;
}

/**
 * Sends one request and collects its answer, and closes the connection where the body exceeds its bounds. It ignores
 * `content-length`, which may be missing and which a response to HEAD sets without sending a body. undici's own `request` makes a
 * stream of each body, which takes half the time of a small request.
 */
export const exchange = (
  agent: Dispatcher,
  request: Dispatcher.DispatchOptions,
  { where, maxBytes, isExcerpt }: Bounds,
  signal: AbortSignal,
): Promise<Answer> =>
  new Promise<Answer>((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let status = 0;
    let headers: Answer['headers'] = {};
    let controller: Dispatcher.DispatchController | undefined;

    const settle = (settled: () => void): void => {
      signal.removeEventListener('abort', stop);
      settled();
    };
    const fail = (error: Error): void => settle(() => reject(error));
    const end = (): void =>
      settle(() => {
        const [only] = chunks;
        const body = chunks.length === 1 && only ? only : Buffer.concat(chunks, size);
        resolve({ status, headers, body: body.subarray(0, maxBytes) });
      });
    function stop(): void {
      const reason = signal.reason as Error;
      fail(reason);
      controller?.abort(reason);
    }

    if (signal.aborted) return stop();
    signal.addEventListener('abort', stop, { once: true });
    agent.dispatch(request, {
      onRequestStart(started) {
        // It may have been cancelled while it waited for a connection.
        if (signal.aborted) started.abort(signal.reason as Error);
        else controller = started;
      },
      onResponseStart(_controller, statusCode, received) {
        status = statusCode;
        headers = received;
      },
      onResponseData(started, chunk) {
        chunks.push(chunk);
        size += chunk.length;
        if (size <= maxBytes) return;
        const error = tooLarge(where, maxBytes);
        if (isExcerpt) end();
        else fail(error);
        started.abort(error);
      },
      onResponseEnd: end,
      onResponseError: (_controller, error) => fail(error),
    });
  });
