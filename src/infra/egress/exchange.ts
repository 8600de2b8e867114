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
 * Ends a request from outside, for a reason. It has one listener, the exchange under way; an AbortSignal, which may have many, costs
 * several microseconds a request.
 */
export interface Cancellation {
  reason: Error | undefined;
  onCancel: (() => void) | undefined;
}

export const cancel = (cancellation: Cancellation, reason: Error): void => {
  cancellation.reason ??= reason;
  cancellation.onCancel?.();
};

/**
 * Sends one request and collects its answer, and closes the connection where the body exceeds its bounds. It ignores
 * `content-length`, which may be missing and which a response to HEAD sets without sending a body. undici's own `request` makes a
 * stream of each body, which takes half the time of a small request.
 */
export const exchange = (
  agent: Dispatcher,
  request: Dispatcher.DispatchOptions,
  { where, maxBytes, isExcerpt }: Bounds,
  cancellation: Cancellation,
): Promise<Answer> =>
  new Promise<Answer>((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let status = 0;
    let headers: Answer['headers'] = {};
    let controller: Dispatcher.DispatchController | undefined;

    const settle = (settled: () => void): void => {
      if (cancellation.onCancel === stop) cancellation.onCancel = undefined;
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
      const reason = cancellation.reason as Error;
      fail(reason);
      controller?.abort(reason);
    }

    if (cancellation.reason) return stop();
    cancellation.onCancel = stop;
    agent.dispatch(request, {
      onRequestStart(started) {
        // It may have been cancelled while it waited for a connection.
        if (cancellation.reason) started.abort(cancellation.reason);
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
