import { isOutage } from './outages.ts';

export interface Batcher<Item, Answer> {
  add(item: Item): Promise<Answer>;
  /** Resolves when nothing is waiting or in progress. */
  drain(): Promise<void>;
}

export interface BatcherOptions<Item, Answer> {
  write: (items: Item[]) => Promise<Answer[]>;
  maxBatch: number;
  /** The most batches in progress at a time. */
  concurrency: number;
  /** How long a batch must have been in progress before another begins beside it, so that one that waits for a lock holds up no other. */
  patienceMs: number;
}

/**
 * Group commit: items that arrive while a batch is being written go into the next one, so an idle system responds at once and
 * a busy one writes batches of whatever waits. `write` returns one value per item, in order. A batch that throws is retried item by
 * item, so that one bad item fails alone. It is not retried after an outage, since the database may have committed it.
 */
export function createBatcher<Item, Answer>(options: BatcherOptions<Item, Answer>): Batcher<Item, Answer> {
  interface Waiting {
    item: Item;
    resolve: (answer: Answer) => void;
    reject: (error: unknown) => void;
  }
  const queue: Waiting[] = [];
  const idle: (() => void)[] = [];
  let active = 0;
  let begunAt = 0;
  let scheduled = false;
  let patience: NodeJS.Timeout | undefined;

  async function write(batch: Waiting[]): Promise<void> {
    try {
      const answers = await options.write(batch.map(({ item }) => item));
      batch.forEach(({ resolve }, index) => resolve(answers[index] as Answer));
    } catch (error) {
      if (batch.length === 1 || isOutage(error)) for (const { reject } of batch) reject(error);
      else for (const single of batch) await write([single]);
    }
  }

  /** How long until a batch may begin, in milliseconds. */
  function waitMs(): number {
    if (active === 0) return 0;
    if (active >= options.concurrency) return Number.POSITIVE_INFINITY;
    return Math.max(0, begunAt + options.patienceMs - performance.now());
  }

  function pump(): void {
    scheduled = false;
    clearTimeout(patience);
    while (queue.length > 0 && waitMs() === 0) {
      active += 1;
      begunAt = performance.now();
      void write(queue.splice(0, options.maxBatch)).finally(() => {
        active -= 1;
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
        if (scheduled || active >= options.concurrency) return;
        scheduled = true;
        // Runs after the callbacks of this turn of the event loop, so that requests read together are written together.
        setImmediate(pump);
      }),
    drain: () =>
      active === 0 && queue.length === 0 ? Promise.resolve() : new Promise((resolve) => idle.push(resolve)),
  };
}

/**
 * Batchers side by side, so that one can be written while the next is prepared. Items of one key fall to the same lane: those that
 * would wait for each other's rows share a commit rather than a lock.
 */
export function createLanes<Item, Answer>(
  { lanes, keyOf }: { lanes: number; keyOf: (item: Item) => string },
  options: BatcherOptions<Item, Answer>,
): Batcher<Item, Answer> {
  const batchers = Array.from({ length: lanes }, () => createBatcher(options));
  return {
    add: (item) => (batchers[hashOf(keyOf(item)) % lanes] as Batcher<Item, Answer>).add(item),
    async drain() {
      await Promise.all(batchers.map((batcher) => batcher.drain()));
    },
  };
}

/** FNV-1a, of 32 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
