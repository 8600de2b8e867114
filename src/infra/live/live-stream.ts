/** Takes a subscription's events in order. */
export interface LiveSink<Event> {
  /** Answers whether there is room for more at once; a source that can wait does so until `resume`. */
  event: (event: Event) => boolean;
  /** Nothing follows. With an error: why it ended early. */
  end: (error?: Error) => void;
}

export interface LiveSource {
  close: () => void;
  /** There is room again. */
  resume?: () => void;
}

/** Opens the source for one subscriber. `sink` is not called before this has returned. */
export type OpenLive<Event> = (sink: LiveSink<Event>) => LiveSource;

/** An event that makes earlier ones with the same key superfluous; a reader that falls behind gets the latest only. */
export interface Superseding {
  supersedes?: string;
}

/**
 * What a subscription's resolver answers: events pushed to one subscriber, without a promise an event. Equal changes are the
 * same object for every subscriber, which is what lets them be executed and serialised once. It is an async iterable as well,
 * as GraphQL wants it.
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

/** Most events that wait for one slow reader. */
export const maxWaiting = 1_000;

/**
 * Makes room by taking out events that a later one supersedes; order stays. Answers what was taken out, or undefined when that
 * does not make room: then the reader has to go.
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
  // Half must be free again, or making room would be paid for by every event.
  if (kept.length > maxWaiting / 2) return undefined;
  events.splice(0, events.length, ...kept.toReversed());
  return dropped;
}

export const tooSlow = (): Error => new Error('Events came faster than they were read.');

/**
 * No generator: one that waits for its next event cannot be ended from outside, and a reader that goes away would leave its
 * source open until something happens.
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

/** Any other async iterable, as a source that reads ahead no further than there is room. */
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

// Timers count to 2^31 ms.
const longestTimerMs = 2_147_483_647;

/**
 * The same, ended with the error of `late` at a moment in epoch milliseconds, or without one when `ending` says so. `ending`
 * takes what ends the stream and answers how to forget it.
 */
export const openUntil =
  <Event>(
    open: OpenLive<Event>,
    at: number,
    late: () => Error,
    ending: (end: () => void) => () => void = () => () => undefined,
  ): OpenLive<Event> =>
  (sink) => {
    let timer: NodeJS.Timeout;
    const settle = (): void => {
      clearTimeout(timer);
      forget();
    };
    const source = open({
      event: sink.event,
      end(error) {
        settle();
        sink.end(error);
      },
    });
    const stop = (error?: Error): void => {
      settle();
      source.close();
      sink.end(error);
    };
    const arm = (): void => {
      const left = Math.min(Math.max(0, at - Date.now()), longestTimerMs);
      timer = setTimeout(() => (Date.now() < at ? arm() : stop(late())), left).unref();
    };
    const forget = ending(() => stop());
    arm();
    return {
      ...source,
      close() {
        settle();
        source.close();
      },
    };
  };
