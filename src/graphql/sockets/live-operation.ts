import type { GraphQLError } from 'graphql';
import { sharedFrame, type LiveGroup, type SharedEvent } from '#src/graphql/fast/live-groups.ts';
import { nextPrefix } from '#src/graphql/fast/socket-frames.ts';
import {
  compact,
  type LiveSource,
  maxWaiting,
  type OpenLive,
  type Superseding,
  tooSlow,
} from '#src/infra/live/live-stream.ts';
import { closeCodes, type SocketConnection } from './socket-connection.ts';

interface Waiting extends Superseding {
  event: object;
  /** Held from the group; only for the next events, so that a slow reader costs bounded memory. */
  shared?: SharedEvent;
}

/**
 * One subscription on one socket, as graphql-ws drives it: it yields nothing, and throws the error that ended it early. Writes the
 * subscription's events to its socket as ready-made frames, in order. A delivery costs no promise, no serialisation and no work of a
 * WebSocket library. The protocol itself (start, end, errors) stays with graphql-ws, which waits on this generator. When the socket is
 * full, events wait; when too many wait, superseded ones are dropped; if that is not enough, the socket is closed and its client
 * reconnects to the current state.
 */
export class LiveOperation implements AsyncGenerator<never, void, void> {
  readonly #connection: SocketConnection;
  readonly #live: OpenLive<object>;
  readonly #group: LiveGroup;
  readonly #toClientError: (error: Error) => GraphQLError;
  readonly #prefix: Buffer;
  readonly #waiting: Waiting[] = [];
  /** How many of the waiting events, from the first, are held. */
  #held = 0;
  readonly #over = Promise.withResolvers<Error | undefined>();
  #ended: { error: Error | undefined } | undefined;
  #source: LiveSource | undefined;
  readonly #leaveGroup: () => void;
  #isStarted = false;
  #isBlocked = false;
  #isClosed = false;

  constructor(options: {
    id: string;
    connection: SocketConnection;
    live: OpenLive<object>;
    group: LiveGroup;
    /** The error that the client receives when the operation fails. */
    toClientError: (error: Error) => GraphQLError;
  }) {
    this.#connection = options.connection;
    this.#live = options.live;
    this.#group = options.group;
    this.#toClientError = options.toClientError;
    this.#prefix = nextPrefix(options.id);
    // Not at its start: one that is never started, as its socket has died, must leave no group behind either.
    this.#leaveGroup = this.#group.join(() => this.#pump());
  }

  async next(): Promise<IteratorResult<never, void>> {
    if (!this.#isStarted && !this.#isClosed) this.#start();
    const error = await this.#over.promise;
    this.#close();
    if (error) throw this.#toClientError(error);
    return { done: true, value: undefined };
  }

  async return(): Promise<IteratorResult<never, void>> {
    this.#close();
    return { done: true, value: undefined };
  }

  async throw(error: unknown): Promise<never> {
    this.#close();
    throw error;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#close();
  }

  #start(): void {
    this.#isStarted = true;
    this.#source = this.#live({
      event: (event) => this.#take(event),
      end: (error) => {
        this.#ended ??= { error };
        this.#pump();
      },
    });
  }

  /** Queues an event; returns whether there is room for more. */
  #take(event: Superseding): boolean {
    if (this.#isClosed || this.#ended) return false;
    if (this.#waiting.length >= maxWaiting && !this.#dropSuperseded()) return this.#giveUp();
    const next: Waiting = { event };
    if (event.supersedes !== undefined) next.supersedes = event.supersedes;
    this.#waiting.push(next);
    this.#holdNearest();
    // Otherwise a payload that is ready already would wait for the group's next event.
    if (this.#waiting.length === 1 && next.shared?.payload !== undefined) this.#pump();
    return this.#waiting.length < maxWaiting / 2;
  }

  #dropSuperseded(): boolean {
    const dropped = compact(this.#waiting);
    if (!dropped) return false;
    for (const each of dropped) this.#release(each);
    this.#held -= dropped.filter(({ shared }) => shared).length;
    return true;
  }

  #giveUp(): false {
    const { socket } = this.#connection;
    this.#ended = { error: tooSlow() };
    socket.close(closeCodes.tryAgainLater, 'Events came faster than they were read');
    // A client that does not read will not answer the closing handshake either.
    setTimeout(() => socket.terminate(), 1_000).unref();
    this.#close();
    return false;
  }

  #pump(): void {
    if (this.#isClosed) return;
    this.#holdNearest();
    while (!this.#isBlocked && this.#waiting[0]?.shared?.payload !== undefined) {
      this.#write();
      this.#holdNearest();
    }
    if (this.#waiting.length > 0 || this.#isBlocked || this.#isClosed) return;
    if (this.#ended) this.#over.resolve(this.#ended.error);
    else this.#source?.resume?.();
  }

  #holdNearest(): void {
    for (const max = Math.min(this.#group.window, this.#waiting.length); this.#held < max; this.#held += 1) {
      const next = this.#waiting[this.#held] as Waiting;
      next.shared = this.#group.hold(next.event);
    }
  }

  #release({ event, shared }: Waiting): void {
    if (shared) this.#group.release(event);
  }

  /** Writes the events whose payloads are ready, as far as the stream has room. */
  #write(): void {
    const { socket, raw, onDrain } = this.#connection;
    if (socket.readyState !== socket.OPEN) return this.#close();
    let sent = 0;
    raw.cork();
    for (const { shared } of this.#waiting) {
      // Other operations write to the same stream.
      if (raw.writableNeedDrain) this.#isBlocked = true;
      if (shared?.payload === undefined || this.#isBlocked) break;
      sent += 1;
      raw.write(sharedFrame(shared, shared.payload, this.#prefix));
    }
    raw.uncork();
    for (const each of this.#waiting.splice(0, sent)) this.#release(each);
    this.#held -= sent;
    if (this.#isBlocked) onDrain.add(this.#onDrain);
  }

  readonly #onDrain = (): void => {
    this.#isBlocked = false;
    this.#pump();
  };

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const each of this.#waiting) this.#release(each);
    this.#waiting.length = 0;
    this.#held = 0;
    this.#connection.onDrain.delete(this.#onDrain);
    this.#leaveGroup();
    this.#source?.close();
    this.#over.resolve(undefined);
  }
}
