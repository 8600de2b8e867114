import { isUtf8 } from 'node:buffer';
import type { Duplex } from 'node:stream';
import type { WebSocket as ProtocolSocket, SubscribePayload } from 'graphql-ws';
import type { WebSocket } from 'ws';
import type { Caller, Incoming } from '#src/graphql/context.ts';
import { exactNumbers } from '#src/infra/text/exact-numbers.ts';
import { callAt } from '#src/infra/timing/timers.ts';

/** Unsent bytes of one socket at which it counts as dead. */
const maxUnsentBytes = 4 * 1024 * 1024;

/** Closing codes of RFC 6455, and from 4000 on of graphql-transport-ws. */
export const closeCodes = {
  unused: 1000,
  goingAway: 1001,
  notText: 1007,
  internalError: 1011,
  tryAgainLater: 1013,
  forbidden: 4403,
} as const;

/** A client's WebSocket, the stream under it, and the operations in progress on it. */
export class SocketConnection {
  readonly socket: WebSocket;
  /** The stream that frames are written to. */
  readonly raw: Duplex;
  /** The address the client connected from. */
  readonly address: string | undefined;
  /** Called when the stream has room again; one callback per waiting operation. */
  readonly onDrain = new Set<() => void>();
  readonly #onIdentified: () => void;
  /** Closes the socket when it has had no subscription for a while; restarted when one ends. */
  readonly #idle: NodeJS.Timeout;
  /** Open subscriptions, by the payload of their message: an id may be used again. */
  readonly #subscriptions = new Set<SubscribePayload>();
  /** The latest operation of each id that is being opened, by the payload of its message. */
  readonly #opening = new Map<string, SubscribePayload>();
  /** Queries and mutations in progress, from their message to their response. */
  #executing = 0;
  #hasAnsweredPing = true;
  #isClosed = false;
  /** How it closes once its queries and mutations are answered; until then it takes no more messages. */
  #closing: { code: number; reason: string } | undefined;
  /** Cancels closing the socket at the expiry of its token. */
  #forgetExpiry: (() => void) | undefined;
  /** Cancels closing the socket when its caller's access is revoked. */
  #forgetAccess: (() => void) | undefined;

  constructor(options: {
    socket: WebSocket;
    raw: Duplex;
    address: string | undefined;
    /** How long it may stay open without a subscription. */
    idleMs: number;
    /** Called once a valid token is known, or the socket has closed. */
    onIdentified: () => void;
  }) {
    const { socket, raw, address, idleMs, onIdentified } = options;
    this.socket = socket;
    this.raw = raw;
    this.address = address;
    this.#onIdentified = onIdentified;
    this.#idle = setTimeout(() => this.#closeUnused(), idleMs).unref();
    raw.on('drain', () => this.#drained());
    socket.on('ping', () => this.#isBounded());
    socket.on('pong', () => {
      this.#hasAnsweredPing = true;
    });
    // A broken connection also emits `close`, which releases everything.
    socket.on('error', () => undefined);
    socket.once('close', () => this.#release());
  }

  /** The socket as graphql-ws uses it. `onError` receives what an operation failed with unexpectedly. */
  protocolSocket(onError: (error: unknown) => void): ProtocolSocket {
    const { socket } = this;
    return {
      protocol: socket.protocol,
      send: (data) => {
        if (socket.readyState === socket.OPEN && this.#isBounded()) socket.send(data);
      },
      close: (code, reason) => socket.close(code, reason),
      onMessage: (take) => {
        socket.on('message', (message) => {
          const data = message as Buffer;
          if (this.#closing || !this.#isBounded()) return;
          // `ws` has already checked a text frame for UTF-8, but not a binary one.
          if (!isUtf8(data)) return socket.close(closeCodes.notText, 'Send messages as UTF-8');
          take(exactNumbers(data.toString('utf8'))).catch((error: unknown) => {
            onError(error);
            socket.close(closeCodes.internalError, 'Internal server error');
          });
        });
      },
    };
  }

  /** A socket's parameters never change, so its first valid token is its only one. */
  identified({ viewer, tenant }: Caller, watchAccess: Incoming['watchAccess']): void {
    if (!viewer || this.#isClosed) return;
    this.#onIdentified();
    const close = (reason: string) => () => this.socket.close(closeCodes.forbidden, reason);
    this.#forgetExpiry ??= callAt(viewer.expiresAt, close('The token has expired'));
    if (tenant) this.#forgetAccess ??= watchAccess?.({ viewer, tenant }, close('Access was taken away'));
  }

  get isExecuting(): boolean {
    return this.#executing > 0;
  }

  executing(): void {
    this.#executing += 1;
  }

  executed(): void {
    // graphql-ws sends the response a few promises later.
    setImmediate(() => {
      this.#executing -= 1;
      this.#closeAnswered();
    });
  }

  opening(id: string, payload: SubscribePayload): void {
    this.#opening.set(id, payload);
  }

  /** Ends the opening of an operation; false if a later one has its id. */
  opened(id: string, payload: SubscribePayload): boolean {
    return this.#opening.get(id) === payload && this.#opening.delete(id);
  }

  subscribed(payload: SubscribePayload): void {
    this.#subscriptions.add(payload);
    if (this.#closing?.code === closeCodes.unused) this.#closing = undefined;
  }

  completed(payload: SubscribePayload): void {
    if (this.#subscriptions.delete(payload)) this.#idle.refresh();
  }

  /** Pings the client; a socket that has not answered the last ping is dropped. */
  ping(): void {
    if (!this.#hasAnsweredPing) this.socket.terminate();
    this.#hasAnsweredPing = false;
    if (this.socket.readyState === this.socket.OPEN) this.socket.ping();
  }

  /** Closes with 1001 once queries and mutations in progress are answered. */
  goAway(): void {
    this.#close(closeCodes.goingAway, 'Going away');
  }

  /** Only subscriptions count as use, because any other operation could be repeated to hold a socket open, even without a token. */
  #closeUnused(): void {
    if (this.#subscriptions.size > 0) this.#idle.refresh();
    else this.#close(closeCodes.unused, 'No subscription for a while');
  }

  #close(code: number, reason: string): void {
    this.#closing = { code, reason };
    this.#closeAnswered();
  }

  #closeAnswered(): void {
    if (this.#closing && !this.isExecuting) this.socket.close(this.#closing.code, this.#closing.reason);
  }

  /** Terminates a client that sends operations without reading: its responses would fill our memory. */
  #isBounded(): boolean {
    if (this.raw.writableLength <= maxUnsentBytes) return true;
    this.socket.terminate();
    return false;
  }

  #drained(): void {
    const waiting = [...this.onDrain];
    this.onDrain.clear();
    for (const drained of waiting) drained();
  }

  #release(): void {
    this.#isClosed = true;
    clearTimeout(this.#idle);
    this.#forgetExpiry?.();
    this.#forgetAccess?.();
    this.#onIdentified();
  }
}
