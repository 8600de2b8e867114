import { isOutage, isStaleStatement } from '#src/infra/postgres/outages.ts';

export interface Batcher<Item, Answer> {
  add(item: Item): Promise<Answer>;
  /** Resolves when nothing is waiting or in progress. */
  drain(): Promise<void>;
}

/** An outage of at least this length is one that others would wait for too, not a broken connection that the next batch replaces. */
const longMs = 1_000;

interface BatcherOptions<Item, Answer> {
  write: (items: Item[]) => Promise<Answer[]>;
  maxBatch: number;
  /** The most batches in progress at a time. */
  concurrency: number;
  /**
   * How long a batch must have been in progress before another starts beside it, so that a batch that waits for a lock does not delay the
   * others.
   */
  patienceMs: number;
  /**
   * The longest pause in which more items gather, after a batch of several items; the pause is half as long as that batch took. A busy
   * system then writes fewer and larger batches, and an idle one does not pause. None by default.
   */
  gatherMs?: number;
  /**
   * After a batch of at least this many items, the next one starts at least this long after that one started: the cost of a statement and a
   * commit is then shared by more items when batches are written fast. Off by default.
   */
  spacing?: { items: number; ms: number };
}

/**
 * Group commit: items that arrive while a batch is being written go into the next one, so an idle system responds immediately and a busy
 * one writes batches. `write` returns one value per item, in order. A batch that throws is retried item by item, so that one bad item fails
 * alone. It is not retried after an outage, since the database may have committed it. After a long outage, items queued behind the batch
 * fail with it: in their own batch they would wait as long again.
 */
export const createBatcher = <Item, Answer>(options: BatcherOptions<Item, Answer>): Batcher<Item, Answer> =>
  new GroupCommit(options);

interface Waiting<Item, Answer> {
  item: Item;
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
}

class GroupCommit<Item, Answer> implements Batcher<Item, Answer> {
  readonly #options: BatcherOptions<Item, Answer>;
  readonly #queue: Waiting<Item, Answer>[] = [];
  /** Called when nothing is waiting or in progress. */
  readonly #onIdle: (() => void)[] = [];
  #active = 0;
  #startedAt = 0;
  #gatherUntil = 0;
  #isScheduled = false;
  #patience: NodeJS.Timeout | undefined;

  constructor(options: BatcherOptions<Item, Answer>) {
    this.#options = options;
  }

  add(item: Item): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ item, resolve, reject });
      if (this.#isScheduled || this.#active >= this.#options.concurrency) return;
      this.#isScheduled = true;
      // Runs after the callbacks of this turn of the event loop, so that requests read together are written together.
      setImmediate(this.#startBatches);
    });
  }

  async drain(): Promise<void> {
    if (!this.#isIdle) await new Promise<void>((resolve) => this.#onIdle.push(resolve));
  }

  get #isIdle(): boolean {
    return this.#active === 0 && this.#queue.length === 0;
  }

  readonly #startBatches = (): void => {
    this.#isScheduled = false;
    clearTimeout(this.#patience);
    while (this.#queue.length > 0 && this.#waitMs() === 0) this.#startBatch();
    if (this.#queue.length > 0 && Number.isFinite(this.#waitMs()))
      this.#patience = setTimeout(this.#startBatches, Math.ceil(this.#waitMs()));
    if (this.#isIdle) for (const resolve of this.#onIdle.splice(0)) resolve();
  };

  #startBatch(): void {
    const { maxBatch, gatherMs = 0, spacing } = this.#options;
    const startedAt = performance.now();
    this.#active += 1;
    this.#startedAt = startedAt;
    const batch = this.#queue.splice(0, maxBatch);
    void this.#write(batch, startedAt).finally(() => {
      const now = performance.now();
      this.#active -= 1;
      if (batch.length > 1) this.#gatherUntil = now + Math.min(gatherMs, (now - startedAt) / 2);
      if (spacing && batch.length >= spacing.items)
        this.#gatherUntil = Math.max(this.#gatherUntil, startedAt + spacing.ms);
      this.#startBatches();
    });
  }

  /** How long until a batch may start, in milliseconds. */
  #waitMs(): number {
    const { maxBatch, concurrency, patienceMs } = this.#options;
    if (this.#active >= concurrency) return Number.POSITIVE_INFINITY;
    if (this.#active > 0) return Math.max(0, this.#startedAt + patienceMs - performance.now());
    return this.#queue.length < maxBatch ? Math.max(0, this.#gatherUntil - performance.now()) : 0;
  }

  async #write(batch: Waiting<Item, Answer>[], startedAt: number, isRepeated = false): Promise<void> {
    try {
      const answers = await this.#options.write(batch.map(({ item }) => item));
      batch.forEach(({ resolve }, index) => resolve(answers[index] as Answer));
    } catch (error) {
      // The statement had no effect, and the next connection knows the current schema.
      if (isStaleStatement(error) && !isRepeated) return this.#write(batch, startedAt, true);
      if (isOutage(error)) {
        const behind = performance.now() - startedAt > longMs ? this.#queue.splice(0) : [];
        for (const { reject } of [...batch, ...behind]) reject(error);
      } else if (batch.length === 1) batch[0]?.reject(error);
      else for (const single of batch) await this.#write([single], performance.now());
    }
  }
}
