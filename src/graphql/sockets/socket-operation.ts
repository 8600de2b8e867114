import type { Duplex } from 'node:stream';
import type { GraphQLError } from 'graphql';
import type { WebSocket } from 'ws';
import { frameOf, type LiveGroup, type SharedEvent } from '#src/graphql/fast/live-groups.ts';
import { nextPrefix } from '#src/graphql/fast/socket-frames.ts';
import { compact, maxWaiting, type OpenLive, type Superseding, tooSlow } from '#src/infra/live/live-stream.ts';

/** A client's connection: the protocol's view of it and the underlying stream. */
export interface Connection {
  socket: WebSocket;
  /** The stream that frames are written to. */
  raw: Duplex;
  /** Called when the stream has room again; one callback per waiting operation. */
  onDrain: Set<() => void>;
}

/** Closing codes of RFC 6455, and from 4000 on of graphql-transport-ws. */
export const closeCodes = {
  unused: 1000,
  goingAway: 1001,
  notText: 1007,
  tryAgainLater: 1013,
  forbidden: 4403,
} as const;

/** One subscription on one socket, as graphql-ws drives it: it yields nothing, and throws the error that ended it early. */
export type LiveOperation = AsyncGenerator<never, void, void>;

interface Waiting extends Superseding {
  event: object;
  /** Held from the group; only for the next events, so that a slow reader costs bounded memory. */
  shared?: SharedEvent;
}

/**
 * Writes a subscription's events to its socket as ready-made frames, in order. A delivery costs no promise, no serialisation and no work of
 * a WebSocket library. The protocol itself (start, end, errors) stays with graphql-ws, which waits on this generator. When the socket is
 * full, events wait; when too many wait, superseded ones are dropped; if that is not enough, the socket is closed and its client reconnects
 * to the current state.
 */
export function createLiveOperation(options: {
  id: string;
  connection: Connection;
  live: OpenLive<object>;
  group: LiveGroup;
  /** The error that the client receives when the operation fails. */
  failed: (error: Error) => GraphQLError;
}): LiveOperation {
  const { connection, group } = options;
  const { socket, raw } = connection;
  const prefix = nextPrefix(options.id);
  const waiting: Waiting[] = [];
  /** How many of the waiting events, from the first, are held. */
  let held = 0;
  const { promise: over, resolve: finish } = Promise.withResolvers<Error | undefined>();
  let ended: { error: Error | undefined } | undefined;
  let source: { close: () => void; resume?: () => void } | undefined;
  let leave = (): void => undefined;
  let blocked = false;
  let closed = false;

  function close(): void {
    if (closed) return;
    closed = true;
    for (const each of waiting) release(each);
    waiting.length = 0;
    held = 0;
    connection.onDrain.delete(drained);
    leave();
    source?.close();
    finish(undefined);
  }

  function release({ event, shared }: Waiting): void {
    if (shared) group.release(event);
  }

  function pump(): void {
    if (closed) return;
    holdNearest();
    while (!blocked && waiting[0]?.shared?.payload !== undefined) {
      write();
      holdNearest();
    }
    if (waiting.length > 0 || blocked || closed) return;
    if (ended) finish(ended.error);
    else source?.resume?.();
  }

  function holdNearest(): void {
    for (const most = Math.min(group.window, waiting.length); held < most; held += 1) {
      const next = waiting[held] as Waiting;
      next.shared = group.hold(next.event);
    }
  }

  function write(): void {
    if (socket.readyState !== socket.OPEN) return close();
    let sent = 0;
    raw.cork();
    for (const { shared } of waiting) {
      // Other operations write to the same stream.
      if (raw.writableNeedDrain) blocked = true;
      if (shared?.payload === undefined || blocked) break;
      sent += 1;
      raw.write(frameOf(shared, shared.payload, prefix));
    }
    raw.uncork();
    waiting.splice(0, sent).forEach(release);
    held -= sent;
    if (blocked) connection.onDrain.add(drained);
  }

  function drained(): void {
    blocked = false;
    pump();
  }

  function take(event: Superseding): boolean {
    if (closed || ended) return false;
    if (waiting.length >= maxWaiting) {
      const dropped = compact(waiting);
      if (!dropped) return giveUp();
      dropped.forEach(release);
      held -= dropped.filter(({ shared }) => shared).length;
    }
    const next: Waiting = { event };
    if (event.supersedes !== undefined) next.supersedes = event.supersedes;
    waiting.push(next);
    holdNearest();
    // Otherwise a payload that is ready already would wait for the group's next event.
    if (waiting.length === 1 && next.shared?.payload !== undefined) pump();
    return waiting.length < maxWaiting / 2;
  }

  function giveUp(): false {
    ended = { error: tooSlow() };
    socket.close(closeCodes.tryAgainLater, 'Events came faster than they were read');
    // A client that does not read will not answer the closing handshake either.
    setTimeout(() => socket.terminate(), 1_000).unref();
    close();
    return false;
  }

  function start(): void {
    leave = group.join(pump);
    source = options.live({
      event: take,
      end(error) {
        ended ??= { error };
        pump();
      },
    });
  }

  let started = false;
  const operation: LiveOperation = {
    async next() {
      if (!started) {
        started = true;
        if (!closed) start();
      }
      const error = await over;
      close();
      if (error) throw options.failed(error);
      return { done: true, value: undefined };
    },
    async return() {
      close();
      return { done: true, value: undefined };
    },
    async throw(error) {
      close();
      throw error;
    },
    [Symbol.asyncIterator]: () => operation,
    async [Symbol.asyncDispose]() {
      close();
    },
  };
  return operation;
}
