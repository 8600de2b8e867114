import { isOutage, isStaleStatement } from '#src/infra/postgres/outages.ts';

export interface Batcher<Item, Answer> {
  add(item: Item): Promise<Answer>;
  /** Resolves when nothing is waiting or in progress. */
  drain(): Promise<void>;
}

/** An outage of at least this length is one that others would wait for too, not a broken connection that the next batch replaces. */
const longMs = 1_000;

/**
 * Group commit: items that arrive while a batch is being written go into the next one, so an idle system responds immediately and a busy
 * one writes batches. `write` returns one value per item, in order. A batch that throws is retried item by item, so that one bad item fails
 * alone. It is not retried after an outage, since the database may have committed it. After a long outage, items queued behind the batch
 * fail with it: in their own batch they would wait as long again.
 */
export function createBatcher<Item, Answer>(options: {
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
   * After a batch of at least so many items, the next one starts at least this long after that one started: the cost of a statement and a
   * commit is then shared by more items when batches are written fast. Off by default.
   */
  spacing?: { items: number; ms: number };
}): Batcher<Item, Answer> {
  interface Waiting {
    item: Item;
    resolve: (answer: Answer) => void;
    reject: (error: unknown) => void;
  }
  const { maxBatch, concurrency, patienceMs, gatherMs = 0, spacing } = options;
  const queue: Waiting[] = [];
  const idle: (() => void)[] = [];
  let active = 0;
  let begunAt = 0;
  let gatherUntil = 0;
  let scheduled = false;
  let patience: NodeJS.Timeout | undefined;

  async function write(batch: Waiting[], started = performance.now(), isRepeated = false): Promise<void> {
    try {
      const answers = await options.write(batch.map(({ item }) => item));
      batch.forEach(({ resolve }, index) => resolve(answers[index] as Answer));
    } catch (error) {
      // The statement had no effect, and the next connection knows the current schema.
      if (isStaleStatement(error) && !isRepeated) return write(batch, started, true);
      if (isOutage(error)) {
        const behind = performance.now() - started > longMs ? queue.splice(0) : [];
        for (const { reject } of [...batch, ...behind]) reject(error);
      } else if (batch.length === 1) batch[0]?.reject(error);
      else for (const single of batch) await write([single]);
    }
  }

  /** How long until a batch may begin, in milliseconds. */
  function waitMs(): number {
    if (active === 0) return queue.length < maxBatch ? Math.max(0, gatherUntil - performance.now()) : 0;
    if (active >= concurrency) return Number.POSITIVE_INFINITY;
    return Math.max(0, begunAt + patienceMs - performance.now());
  }

  function pump(): void {
    scheduled = false;
    clearTimeout(patience);
    while (queue.length > 0 && waitMs() === 0) {
      active += 1;
      const started = (begunAt = performance.now());
      const batch = queue.splice(0, maxBatch);
      void write(batch).finally(() => {
        active -= 1;
        if (batch.length > 1) gatherUntil = performance.now() + Math.min(gatherMs, (performance.now() - started) / 2);
        if (spacing && batch.length >= spacing.items) gatherUntil = Math.max(gatherUntil, started + spacing.ms);
        pump();
      });
    }
    if (queue.length > 0 && Number.isFinite(waitMs())) patience = setTimeout(pump, Math.ceil(waitMs()));
    if (active === 0 && queue.length === 0) for (const resolve of idle.splice(0)) resolve();
  }

  return {
    add: (item) =>
      new Promise((resolve, reject) => {
        queue.push({ item, resolve, reject });
        if (scheduled || active >= concurrency) return;
        scheduled = true;
        // Runs after the callbacks of this turn of the event loop, so that requests read together are written together.
        setImmediate(pump);
      }),
    drain: () =>
      active === 0 && queue.length === 0 ? Promise.resolve() : new Promise((resolve) => idle.push(resolve)),
  };
}
