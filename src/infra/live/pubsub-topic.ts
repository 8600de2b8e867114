import { type Notice, NoticeGaps } from '#src/infra/postgres/notices.ts';

/** A Postgres channel of notices. */
export interface Channel<Entry> {
  name: string;
  /** Runs for every entry of every notice, so it must be cheap. Returning undefined drops the entry. */
  parse: (raw: unknown) => Entry | undefined;
  /** The keys whose listeners receive an entry. */
  keys: (entry: Entry) => string[];
}

export interface Listener<Entry> {
  onEntry: (entry: Entry) => void;
  /**
   * Read the table: entries were or may have been lost, or, when `hasMissed` is false, only as a precaution, which is taken every
   * few seconds.
   */
  onResync: (hasMissed: boolean) => void;
}

/** The listeners of one channel, by key. */
export class Topic {
  readonly #channel: Channel<unknown>;
  readonly #onError: (error: Error) => void;
  readonly #gaps = new NoticeGaps();
  readonly #byKey = new Map<string, Set<Listener<unknown>>>();
  #isListening = false;

  constructor(channel: Channel<unknown>, onError: (error: Error) => void) {
    this.#channel = channel;
    this.#onError = onError;
  }

  get name(): string {
    return this.#channel.name;
  }

  /** Whether the session receives its notices. */
  get isListening(): boolean {
    return this.#isListening;
  }

  /** Returns the function that removes the listener. */
  add(key: string, listener: Listener<unknown>): () => void {
    const listeners = this.#byKey.get(key) ?? new Set();
    this.#byKey.set(key, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#byKey.get(key) === listeners) this.#byKey.delete(key);
    };
  }

  started(): void {
    this.#isListening = true;
    this.#gaps.clear(performance.now());
    this.resync(true);
  }

  stopped(): void {
    this.#isListening = false;
  }

  receive(notice: Notice): void {
    for (const raw of notice.entries) this.#deliver(raw);
    if (this.#gaps.missedBefore(notice, performance.now())) this.resync(true);
  }

  /** Resyncs where a sender fell silent. */
  checkSenders(): void {
    if (this.#gaps.dropSilent(performance.now())) this.resync(true);
  }

  resync(hasMissed: boolean): void {
    for (const listeners of this.#byKey.values())
      for (const listener of listeners) this.#guarded(() => listener.onResync(hasMissed));
  }

  #deliver(raw: unknown): void {
    const entry = this.#channel.parse(raw);
    if (entry === undefined) return;
    for (const key of this.#channel.keys(entry)) {
      for (const listener of this.#byKey.get(key) ?? []) this.#guarded(() => listener.onEntry(entry));
    }
  }

  /** One listener's bug must not affect the others. */
  #guarded(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.#onError(error as Error);
    }
  }
}
