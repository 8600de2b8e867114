import { setTimeout as delay } from 'node:timers/promises';
import type { Guarded } from '#src/infra/postgres/connections/database-client.ts';
import { parseNotice, silentMs } from '#src/infra/postgres/notices.ts';
import { pause } from '#src/infra/timing/timers.ts';
import { PubsubSession } from './pubsub-session.ts';
import { type Channel, type Listener, Topic } from './pubsub-topic.ts';
import { createSharedReader } from './shared-reader.ts';

/**
 * Changes that other processes committed, announced by their Notices. The tables are the truth and a notice only wakes. A
 * listener that must not miss anything subscribes first, then reads the table, and reads it again at every resync, which follows
 * within about a second of a lost notice.
 */
export interface Pubsub {
  /**
   * Subscribes immediately and returns the function that unsubscribes. Until the channel is listened on (initially, or after a lost
   * connection) entries are lost; `onResync` is called as soon as it is.
   */
  subscribe<Entry>(channel: Channel<Entry>, key: string, listener: Listener<Entry>): () => void;
  /** Whether the channel is listened on; if not, its listeners resync as soon as it is. */
  isListening(channel: Pick<Channel<unknown>, 'name'>): boolean;
  /**
   * Resolves when every notice sent before the call has been delivered, or no longer can be. A table read can overtake
   * notices that are still on their way, so a second reader waits here before it relies on what it read.
   */
  settled(): Promise<void>;
  close(): Promise<void>;
}

const firstRetryMs = 20;
const lastRetryMs = 500;

interface PubsubOptions extends Guarded {
  url: string;
  onError: (error: Error) => void;
  resyncMs?: number;
}

/**
 * Uses one connection of its own, opened at the first subscription and reopened for as long as the process lives. Listeners
 * resync every `resyncMs` (15 s) even on a sound connection, so that a missing notification delays a change by seconds
 * instead of losing it.
 */
export const createPubsub = (options: PubsubOptions): Pubsub => new PostgresPubsub(options);

class PostgresPubsub implements Pubsub {
  readonly #options: PubsubOptions;
  readonly #topics = new Map<string, Topic>();
  readonly #stopping = new AbortController();
  readonly #settled = createSharedReader<null, void>({
    name: () => '',
    maxBatch: 1,
    read: async () => [await this.#session?.settled()],
  });
  readonly #senderCheck: NodeJS.Timeout;
  #session: PubsubSession | undefined;
  #living: Promise<void> | undefined;

  constructor(options: PubsubOptions) {
    this.#options = options;
    this.#senderCheck = setInterval(() => {
      for (const topic of this.#topics.values()) topic.checkSenders();
    }, silentMs / 4).unref();
  }

  subscribe<Entry>(channel: Channel<Entry>, key: string, listener: Listener<Entry>): () => void {
    const topic = this.#topics.get(channel.name) ?? this.#addTopic(channel as Channel<unknown>);
    this.#living ??= this.#live();
    return topic.add(key, listener as Listener<unknown>);
  }

  isListening({ name }: Pick<Channel<unknown>, 'name'>): boolean {
    return this.#topics.get(name)?.isListening ?? false;
  }

  settled(): Promise<void> {
    return this.#settled(null);
  }

  async close(): Promise<void> {
    clearInterval(this.#senderCheck);
    this.#stopping.abort();
    this.#session?.end();
    await this.#living;
  }

  #addTopic(channel: Channel<unknown>): Topic {
    const topic = new Topic(channel, this.#options.onError);
    this.#topics.set(channel.name, topic);
    const session = this.#session;
    if (session) void this.#listen(session).catch(() => session.end());
    return topic;
  }

  /** Keeps a session open until the pubsub is closed. */
  async #live(): Promise<void> {
    const { onError } = this.#options;
    let waitMs = firstRetryMs;
    while (!this.#stopping.signal.aborted) {
      const session = await this.#openSession();
      if (session) {
        waitMs = firstRetryMs;
        await this.#serve(session).catch(onError);
        session.end();
        this.#session = undefined;
        for (const topic of this.#topics.values()) topic.stopped();
      }
      await pause(waitMs, this.#stopping.signal);
      waitMs = Math.min(lastRetryMs, waitMs * 2);
    }
  }

  async #openSession(): Promise<PubsubSession | undefined> {
    try {
      return (this.#session = await PubsubSession.open(this.#options, (name, payload) => this.#receive(name, payload)));
    } catch (error) {
      this.#options.onError(error as Error);
      return undefined;
    }
  }

  /** Resolves when the connection has ended; rejects when it stops responding. */
  async #serve(session: PubsubSession): Promise<void> {
    const { signal } = this.#stopping;
    const { resyncMs = 15_000 } = this.#options;
    await this.#listen(session);
    while (!signal.aborted) {
      const waited = delay(resyncMs, false, { signal, ref: false }).catch(() => true);
      if (await Promise.race([session.ended, waited])) return;
      await session.probe();
      for (const topic of this.#topics.values()) if (topic.isListening) topic.resync(false);
    }
  }

  /** Listens on all channels that are not listened on yet. */
  async #listen(session: PubsubSession): Promise<void> {
    const added = [...this.#topics.values()].filter(({ isListening }) => !isListening);
    if (added.length === 0) return;
    await session.listen(added.map(({ name }) => name));
    if (this.#session !== session) return;
    // One that was added while others were being listened on may have started with them.
    for (const topic of added) if (!topic.isListening) topic.started();
    await this.#listen(session);
  }

  #receive(name: string, payload: string): void {
    const topic = this.#topics.get(name);
    if (!topic?.isListening || payload === '') return;
    try {
      const notice = parseNotice(payload);
      if (!notice) throw new TypeError(`A notification on ${name} is not a notice.`);
      topic.receive(notice);
    } catch (error) {
      this.#options.onError(error as Error);
    }
  }
}
