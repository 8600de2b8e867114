import { type Channel, type Listener, Topic } from './pubsub-topic.ts';
import type { Pubsub } from './pubsub.ts';

/** How often listeners read the tables. Workers ask their queues as often. */
const pollMs = 1_000;

/**
 * Wakes listeners at intervals, for servers without LISTEN and NOTIFY: every listener reads the tables each second, as it does after a lost
 * notice. Costs a statement a second for each thing that is watched, and as much delay.
 */
export class PollingPubsub implements Pubsub {
  readonly #topics = new Map<string, Topic>();
  readonly #onError: (error: Error) => void;
  readonly #timer: NodeJS.Timeout;

  constructor({ onError, everyMs = pollMs }: { onError: (error: Error) => void; everyMs?: number }) {
    this.#onError = onError;
    this.#timer = setInterval(() => {
      for (const topic of this.#topics.values()) topic.resync(true);
    }, everyMs).unref();
  }

  subscribe<Entry>(channel: Channel<Entry>, key: string, listener: Listener<Entry>): () => void {
    let topic = this.#topics.get(channel.name);
    if (!topic) this.#topics.set(channel.name, (topic = new Topic(channel as Channel<unknown>, this.#onError)));
    return topic.add(key, listener as Listener<unknown>);
  }

  /** True although nothing is heard: what changes is read within a second. */
  isListening({ name }: Pick<Channel<unknown>, 'name'>): boolean {
    return this.#topics.has(name);
  }

  /** No notice is on its way, as none is sent. */
  settled(): Promise<void> {
    return Promise.resolve();
  }

  close(): Promise<void> {
    clearInterval(this.#timer);
    return Promise.resolve();
  }
}
