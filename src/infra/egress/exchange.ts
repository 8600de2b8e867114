import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { tooLarge } from './body.ts';

/** A response as received: its body is not decoded. */
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
  /** True if a larger body is cut there instead of refused. */
  isExcerpt: boolean;
  /** Called when the response begins. Returns a receiver for the body as a stream, or undefined to collect the body. */
  receive?:
    | ((status: number, headers: Answer['headers']) => ((body: Readable) => Promise<void>) | undefined)
    | undefined;
}

/**
 * Cancels a request from outside, with a reason. It has one listener, the exchange in progress; an AbortSignal, which may have many, costs
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
 * Sends one request and collects its response; closes the connection if the body exceeds its bounds. It ignores `content-length`, which may
 * be missing and which a response to HEAD sets without sending a body. undici's own `request` makes a stream of each body, which takes half
 * the time of a small request.
 */
export const exchange = (
  agent: Dispatcher,
  request: Dispatcher.DispatchOptions,
  bounds: Bounds,
  cancellation: Cancellation,
): Promise<Answer> =>
  new Promise<Answer>((resolve, reject) => {
    if (cancellation.reason) return reject(cancellation.reason);
    agent.dispatch(request, new Exchange(bounds, cancellation, resolve, reject));
  });

/** A failure of the caller's own stream, not of the exchange; `cause` is the error. */
export class OwnError extends Error {
  constructor(cause: unknown) {
    super('A stream of the caller failed.', { cause });
  }
}

/** Collects a response. A class, because closures would be ten allocations a request. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #bounds: Bounds;
  readonly #cancellation: Cancellation;
  readonly #resolve: (answer: Answer) => void;
  readonly #reject: (error: Error) => void;
  readonly #chunks: Buffer[] = [];
  #size = 0;
  #status = 0;
  #headers: Answer['headers'] = {};
  #controller: Dispatcher.DispatchController | undefined;
  #streamed: Readable | undefined;
  /** True if the receiver destroyed its stream. Its promise then has the reason. */
  #isAbandoned = false;

  constructor(
    bounds: Bounds,
    cancellation: Cancellation,
    resolve: (answer: Answer) => void,
    reject: (error: Error) => void,
  ) {
    this.#bounds = bounds;
    this.#cancellation = cancellation;
    this.#resolve = resolve;
    this.#reject = reject;
    cancellation.onCancel = this.#stop;
  }

  readonly #stop = (): void => {
    const reason = this.#cancellation.reason as Error;
    this.#fail(reason);
    this.#controller?.abort(reason);
  };

  onRequestStart(started: Dispatcher.DispatchController): void {
    // It may have been cancelled while it waited for a connection.
    if (this.#cancellation.reason) started.abort(this.#cancellation.reason);
    else this.#controller = started;
  }

  onResponseStart(started: Dispatcher.DispatchController, status: number, headers: Answer['headers']): void {
    this.#status = status;
    this.#headers = headers;
    // Early hints (1xx) precede the response.
    const receive = status < 200 ? undefined : this.#bounds.receive?.(status, headers);
    if (receive) this.#stream(started, receive);
  }

  #stream(started: Dispatcher.DispatchController, receive: (body: Readable) => Promise<void>): void {
    const body = new Readable({
      read: () => started.resume(),
      destroy: (error, done) => {
        // After the end of the body, the connection may already serve another request, so it must not be aborted.
        if (!body.readableEnded) {
          this.#isAbandoned = true;
          started.abort(error ?? new Error('The body was not read.'));
        }
        done(error);
      },
    });
    // The receiver's promise reports a failure; a stream without this listener would end the process.
    body.on('error', () => undefined);
    this.#streamed = body;
    // The request can be cancelled until the receiver has stored the last byte.
    receive(body).then(
      () => this.#answer(),
      (error: Error) => {
        this.#fail(new OwnError(error));
        started.abort(error);
      },
    );
  }

  onResponseData(started: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#streamed) {
      if (!this.#streamed.push(chunk)) started.pause();
      return;
    }
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    const { where, maxBytes, isExcerpt } = this.#bounds;
    if (this.#size <= maxBytes) return;
    const error = tooLarge(where, maxBytes);
    if (isExcerpt) this.onResponseEnd();
    else this.#fail(error);
    started.abort(error);
  }

  onResponseEnd(): void {
    if (this.#streamed) this.#streamed.push(null);
    else this.#answer();
  }

  #answer(): void {
    this.#settle();
    const { maxBytes } = this.#bounds;
    const [only] = this.#chunks;
    const body = this.#chunks.length === 1 && only ? only : Buffer.concat(this.#chunks, this.#size);
    this.#resolve({
      status: this.#status,
      headers: this.#headers,
      body: body.length > maxBytes ? body.subarray(0, maxBytes) : body,
    });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (!this.#isAbandoned) this.#fail(error);
  }

  #fail(error: Error): void {
    this.#settle();
    this.#streamed?.destroy(error);
    this.#reject(error);
  }

  /** A redirect reuses the cancellation, so the next hop's exchange may already be registered. */
  #settle(): void {
    if (this.#cancellation.onCancel === this.#stop) this.#cancellation.onCancel = undefined;
  }
}
