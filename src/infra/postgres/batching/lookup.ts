import { createBatcher } from './batcher.ts';

/**
 * Reads what changes, for many who ask at once: everybody gets an answer of a read that began after they asked. Those who ask while
 * a read is under way share the next one, and those of them who ask for the same, by `keyOf`, share an answer too. `read` returns
 * one answer per item, in order.
 */
export function createLookup<Item, Answer>({
  keyOf,
  read,
}: {
  keyOf: (item: Item) => string;
  read: (items: Item[]) => Promise<Answer[]>;
}): (item: Item) => Promise<Answer> {
  const asked = new Map<string, Promise<Answer>>();
  const batches = createBatcher<Item, Answer>({
    maxBatch: 500,
    concurrency: 2,
    // A read that waits for a lock holds up no other.
    patienceMs: 5,
    write(items) {
      for (const item of items) asked.delete(keyOf(item));
      return read(items);
    },
  });
  return (item) => {
    const key = keyOf(item);
    const shared = asked.get(key);
    if (shared) return shared;
    const answer = batches.add(item);
    asked.set(key, answer);
    // A batcher rejects without a read what waits behind an outage: whoever asks after that must not share the rejection.
    const forget = (): void => {
      if (asked.get(key) === answer) asked.delete(key);
    };
    answer.then(forget, forget);
    return answer;
  };
}
