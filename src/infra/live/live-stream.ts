import { callAt } from '#src/infra/timing/timers.ts';

/** Receives a subscription's events in order. */
export interface LiveSink<Event> {
  /** Returns whether there is room for more; if not, a source that can wait does so until `resume`. */
  event: (event: Event) => boolean;
  /** Ends the stream, with an error when it ended early. */
  end: (error?: Error) => void;
}

export interface LiveSource {
  close: () => void;
  /** Called when there is room again. */
  resume?: () => void;
}

/** Opens the source for one subscriber. It must not call `sink` before it has returned. */
export type OpenLive<Event> = (sink: LiveSink<Event>) => LiveSource;

/** An event that replaces earlier ones with the same key; a reader that falls behind gets only the latest. */
export interface Superseding {
  supersedes?: string;
}

/**
 * The result of a subscription's resolver: events pushed to one subscriber, without a promise per event. Every subscriber
 * receives the same object for the same change, so it can be executed and serialised once. It is also an async iterable,
 * which GraphQL expects.
 */
export class LiveStream<Event extends object> implements AsyncIterable<Event> {
  readonly open: OpenLive<Event>;

  constructor(open: OpenLive<Event>) {
    this.open = open;
  }

  [Symbol.asyncIterator](): AsyncIterator<Event> {
    return iterate(this.open);
  }
}

/** The most events that wait for one slow reader. */
export const maxWaiting = 1_000;

/**
 * Makes room by removing events that a later one replaces, keeping the order. Returns the removed events, or undefined
 * when that does not free enough room: then the reader must be disconnected.
 */
export function compact<Event extends Superseding>(events: Event[]): Event[] | undefined {
  const seen = new Set<string>();
  const kept: Event[] = [];
  const dropped: Event[] = [];
  for (const event of events.toReversed()) {
    const { supersedes } = event;
    (supersedes !== undefined && seen.has(supersedes) ? dropped : kept).push(event);
    if (supersedes !== undefined) seen.add(supersedes);
  }
  // Half must be free again; otherwise every event would pay for another compaction.
  if (kept.length > maxWaiting / 2) return undefined;
  events.splice(0, events.length, ...kept.toReversed());
  return dropped;
}

export const tooSlow = (): Error => new Error('Events came faster than they were read.');

/**
 * Not a generator: one that waits for its next event cannot be ended from outside, so a reader that disconnects would leave
 * its source open until the next event.
 */
function iterate<Event extends object>(open: OpenLive<Event>): AsyncIterator<Event, undefined> {
  const waiting: Event[] = [];
  let ended: { error?: Error } | undefined;
  let closed = false;
  let wake = (): void => undefined;
  const source = open({
    event(event) {
      if (ended) return false;
      if (waiting.length >= maxWaiting && !compact(waiting)) ended = { error: tooSlow() };
      else waiting.push(event);
      wake();
      return waiting.length < maxWaiting / 2;
    },
    end(error) {
      ended ??= error ? { error } : {};
      wake();
    },
  });
  const close = (): IteratorReturnResult<undefined> => {
    ended = {};
    waiting.length = 0;
    if (!closed) source.close();
    closed = true;
    wake();
    return { done: true, value: undefined };
  };
  return {
    async next() {
      if (waiting.length === 0 && !ended) {
        const { promise, resolve } = Promise.withResolvers<void>();
        wake = resolve;
        source.resume?.();
        if (waiting.length === 0 && !ended) await promise;
      }
      const value = waiting.shift();
      if (value !== undefined) return { done: false, value };
      const error = ended?.error;
      const over = close();
      if (error) throw error;
      return over;
    },
    return: async () => close(),
  };
}

/** Makes any async iterable a source, which reads ahead only while there is room. */
export const openIterable =
  <Event>(iterable: AsyncIterable<Event>): OpenLive<Event> =>
  (sink) => {
    const iterator = iterable[Symbol.asyncIterator]();
    let closed = false;
    let resume = (): void => undefined;
    const read = async (): Promise<void> => {
      for (;;) {
        const { promise, resolve } = Promise.withResolvers<void>();
        resume = resolve;
        const { done, value } = await iterator.next();
        if (closed) return;
        if (done) return sink.end();
        if (!sink.event(value)) await promise;
      }
    };
    void Promise.resolve()
      .then(read)
      .catch((error: Error) => sink.end(error));
    return {
      resume: () => resume(),
      close() {
        closed = true;
        resume();
        void iterator.return?.();
      },
    };
  };

/**
 * The same source, ended with the error of `late` at a time in epoch milliseconds, or earlier when `watch` calls the callback it is given;
 * `watch` returns the function that stops watching.
 */
export const openUntil =
  <Event>(
    open: OpenLive<Event>,
    at: number,
    late: () => Error,
    watch: (ended: () => void) => () => void = () => () => undefined,
  ): OpenLive<Event> =>
  (sink) => {
    const source = open({
      event: sink.event,
      end(error) {
        cancel();
        sink.end(error);
      },
    });
    const finish = (): void => {
      cancel();
      source.close();
      sink.end(late());
    };
    const atExpiry = callAt(at, finish);
    const unwatch = watch(finish);
    function cancel(): void {
      atExpiry();
      unwatch();
    }
    return {
      ...source,
      close() {
        cancel();
        source.close();
      },
    };
  };
